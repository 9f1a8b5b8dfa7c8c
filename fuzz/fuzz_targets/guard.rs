#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| todo_keeper_fuzz::guard(&String::from_utf8_lossy(data)));
