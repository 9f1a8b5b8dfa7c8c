//! The boundary to JavaScript: the only file that knows wasm-bindgen and js-sys.

use js_sys::{Array, Object};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

use crate::effect::Step;
use crate::input::Input;
use crate::options::Source;
use crate::plugin::Plugin;
use crate::time::Millis;
use crate::wire::{MAX_DEPTH, Mismatch, Wire};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("wasm.d.ts");

#[wasm_bindgen]
extern "C" {
    /// `Source[]` in TypeScript.
    #[wasm_bindgen(typescript_type = "Source[]")]
    pub type JsSources;
    /// `Input` in TypeScript.
    #[wasm_bindgen(typescript_type = "Input")]
    pub type JsInput;
    /// `Step` in TypeScript.
    #[wasm_bindgen(typescript_type = "Step")]
    pub type JsStep;
}

/// The core as JavaScript sees it.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Core {
    plugin: Plugin,
    first: Step,
}

#[wasm_bindgen]
impl Core {
    /// A core with the options of `sources`, a `Source[]`.
    ///
    /// # Errors
    ///
    /// When `sources` is not of that type.
    #[wasm_bindgen(constructor)]
    pub fn new(sources: &JsSources) -> Result<Core, JsValue> {
        let sources = wire(sources, 0).all(Source::read).map_err(|wrong| error(&wrong.within("sources")))?;
        let (plugin, first) = Plugin::new(&sources);
        Ok(Self { plugin, first })
    }

    /// What is to be done before the first input: a `Step`. Empty when asked again.
    ///
    /// # Errors
    ///
    /// None that JavaScript could cause.
    pub fn start(&mut self) -> Result<JsStep, JsValue> {
        to_js(&std::mem::take(&mut self.first))
    }

    /// Takes in one `Input` that happened at `now` (milliseconds since the Unix epoch) and answers with a `Step`.
    ///
    /// # Errors
    ///
    /// When `input` is not an `Input`. The core is as it was before.
    pub fn handle(&mut self, input: &JsInput, now: f64) -> Result<JsStep, JsValue> {
        let input = Input::read(wire(input, 0)).map_err(|wrong| error(&wrong))?;
        to_js(&self.plugin.handle(input, millis(now)))
    }

    /// How many sessions the core remembers.
    #[wasm_bindgen(getter)]
    pub fn remembered(&self) -> usize {
        self.plugin.remembered()
    }
}

/// What JavaScript sent, as the core reads it. serde-wasm-bindgen could do it by way of `Deserialize`, with twice as many calls of
/// JavaScript for each value and 22 kB more of the module, most of it messages for values that are not expected.
fn wire(value: &JsValue, depth: u8) -> Wire {
    if let Some(text) = value.as_string() {
        Wire::Text(text)
    } else if let Some(number) = value.as_f64() {
        Wire::Number(number)
    } else if let Some(flag) = value.as_bool() {
        Wire::Bool(flag)
    } else if depth > MAX_DEPTH {
        Wire::Null
    } else if Array::is_array(value) {
        let items: &Array = value.unchecked_ref();
        Wire::List((0..items.length()).map(|at| wire(&items.get(at), depth + 1)).collect())
    } else if value.is_object() {
        let object: &Object = value.unchecked_ref();
        let (names, values) = (Object::keys(object), Object::values(object));
        let field = |at| Some((names.get(at).as_string()?, wire(&values.get(at), depth + 1)));
        Wire::Map((0..names.length()).filter_map(field).collect())
    } else {
        Wire::Null
    }
}

fn error(wrong: &Mismatch) -> JsValue {
    JsError::new(&wrong.to_string()).into()
}

fn to_js(step: &Step) -> Result<JsStep, JsValue> {
    let value = step.serialize(&Serializer::json_compatible())?;
    Ok(value.unchecked_into())
}

/// Whole milliseconds; what is no time (not a number, negative) is the beginning of time.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and fractions do not matter"
)]
const fn millis(now: f64) -> Millis {
    Millis(now as u64)
}
