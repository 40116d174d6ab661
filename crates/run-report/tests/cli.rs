//! The cases of `tests/cmd`, each a file: what goes in, what comes out.

#[test]
fn every_case_holds() {
    trycmd::TestCases::new().case("tests/cmd/*.toml");
}
