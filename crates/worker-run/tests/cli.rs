//! The cases of `tests/cmd`, one file each: input and output.

#[test]
fn every_case_holds() {
    trycmd::TestCases::new().case("tests/cmd/*.toml");
}
