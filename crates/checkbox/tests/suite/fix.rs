//! Unclear checks made clear: without a person only what the table makes equal, with one on a terminal.

use crate::place::Place;
use testbench::Got;

const PLAN: &str = "# Todo\n\n\
    - [ ] One\n  - Verify: `./cli one` → exit 0 within 2s\n\
    - [ ] Two\n  - Verify: `./cli two` → does not contain `x`\n\
    - [ ] Three\n  - Verify: Login: `$ ./cli three` → exit 3\n\
    - [ ] Four\n  - Verify: `./cli four` → prints 3 lines\n";

#[test]
fn all_takes_what_the_table_makes_equal_and_nothing_else() {
    let place = Place::with(PLAN);
    place.run(&["fix", "--all", "PLAN.md"]).exits(5).says("2 of 4 unclear checks rewritten, 2 left");
    let fixed = PLAN.replace("exit 0 within 2s", "exit 0, within 2s").replace("`$ ./cli", "`./cli");
    assert_eq!(place.text("PLAN.md"), fixed);
    place.run(&["fix", "--all", "PLAN.md"]).exits(5).says("0 of 2");
    assert_eq!(place.text("PLAN.md"), fixed);
}

#[test]
fn print_is_a_patch_of_every_offer() {
    let place = Place::with(PLAN);
    let patch = place.run(&["fix", "--print", "PLAN.md"]);
    assert_eq!(place.text("PLAN.md"), PLAN);
    place.write("diff", &patch.exits(0).out);
    if let Ok(status) = place.other("patch", &["-p1", "-i", "diff"]).status() {
        assert!(status.success());
        let fixed = place.text("PLAN.md");
        for line in [
            "`./cli one` → exit 0, within 2s\n",
            "`! ./cli two | grep -qF -- 'x'`\n",
            "Login: `./cli three` → exit 3\n",
            "`./cli four | wc -l` → 3\n",
        ] {
            assert!(fixed.contains(line), "{line}: {fixed}");
        }
        place.run(&["fix", "--all", "PLAN.md"]).exits(0);
    }
}

#[test]
fn on_a_terminal_a_person_answers_group_by_group() {
    for (answers, wanted) in [
        ("y\\nn\\ny\\ny\\n", ["exit 0, within 2s", "does not contain `x`", "`./cli three`", "| wc -l` → 3"]),
        ("q\\n", ["exit 0 within 2s", "does not contain `x`", "`$ ./cli three`", "prints 3 lines"]),
        (
            "n\\nn\\nn\\nc no clause\\nc >= 3\\n",
            ["exit 0 within 2s", "does not contain `x`", "`$ ./cli three`", "wc -l` → >= 3"],
        ),
        (
            "n\\ny\\nmaybe\\nn\\nn\\n",
            ["exit 0 within 2s", "grep -qF -- 'x'`", "`$ ./cli three`", "prints 3 lines"],
        ),
    ] {
        let place = Place::with(PLAN);
        let tool = env!("CARGO_BIN_EXE_checkbox");
        let line = format!("printf '{answers}' | script -qec '{tool} fix PLAN.md' /dev/null");
        let got = Got::of(place.other("sh", &["-c", &line]));
        assert!(got.out.contains("take it? y: yes, n: no"), "{got:?}");
        let text = place.text("PLAN.md");
        for part in wanted {
            assert!(text.contains(part), "{answers}: {part}: {text}");
        }
    }
}
