//! The boundary to JavaScript: the only file that knows wasm-bindgen and js-sys.

use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

use crate::effect::Step;
use crate::options::Source;
use crate::plugin::Plugin;
use crate::time::Millis;
use crate::wire::Wire;

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
    pub fn new(sources: JsSources) -> Result<Core, JsValue> {
        let sources: Wire = serde_wasm_bindgen::from_value(sources.into())?;
        let sources = sources.all(Source::read).map_err(|wrong| JsError::new(&wrong.within("sources").to_string()))?;
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
    pub fn handle(&mut self, input: JsInput, now: f64) -> Result<JsStep, JsValue> {
        let input = serde_wasm_bindgen::from_value(input.into())?;
        to_js(&self.plugin.handle(input, millis(now)))
    }

    /// How many sessions the core remembers.
    #[wasm_bindgen(getter)]
    pub fn remembered(&self) -> usize {
        self.plugin.remembered()
    }
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
