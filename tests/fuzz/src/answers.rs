//! What workers, clients and test runners print. Laws: no panic; what is masked holds no secret.

use toolkit::files::redact::Redact;

/// The answer of a worker, in JSON or Markdown.
pub(crate) fn answer(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    worker_run::outside::answer(&text);
    gate_run::outside::claims(&text);
}

/// What a client prints: its first byte chooses the client and how it ended.
pub(crate) fn client(bytes: &[u8]) {
    let [first, rest @ ..] = bytes else { return };
    let clients: Vec<&str> = worker_run::outside::clients().collect();
    let text = String::from_utf8_lossy(rest);
    let (stdout, stderr) = text.split_once("\n==>\n").unwrap_or((&text, ""));
    let exit = [Some(0), Some(1), Some(130), None][usize::from(first >> 6)];
    worker_run::classify(clients[usize::from(*first) % clients.len()], stdout, stderr, exit, false);
}

/// The report of a test runner.
pub(crate) fn report(bytes: &[u8]) {
    gate_run::outside::report(&String::from_utf8_lossy(bytes));
}

/// Text with secrets in it.
pub(crate) fn secrets(bytes: &[u8]) {
    let Ok(redactor) = Redact::new(&[]) else { return };
    let redactor = redactor.and(["correct-horse-battery".to_owned()]);
    let masked = redactor.text(&String::from_utf8_lossy(bytes));
    assert!(!masked.contains("correct-horse-battery"), "a secret is left: {masked:?}");
}
