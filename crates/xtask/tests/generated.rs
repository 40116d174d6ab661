//! The generated files that are committed are what the sources give: `cargo xtask generate` writes them.

use std::process::Command;

#[test]
fn every_generated_file_is_up_to_date() {
    let got = Command::new(env!("CARGO_BIN_EXE_xtask")).arg("check").output().unwrap();
    assert!(got.status.success(), "run: cargo xtask generate\n{}", String::from_utf8_lossy(&got.stderr));
}
