//! All tools in one executable, as packages install them.

fn main() -> std::process::ExitCode {
    plantools::main()
}
