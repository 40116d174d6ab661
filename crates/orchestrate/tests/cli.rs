//! The cases of `tests/cmd`, each a file with input and expected output.

#[test]
fn every_case_holds() {
    trycmd::TestCases::new().case("tests/cmd/*.toml");
}
