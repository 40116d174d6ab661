//! Which changed files a row names: paths, folders and patterns.

/// Whether one of the patterns names the path.
pub fn names(patterns: &[String], path: &str) -> bool {
    let mut all = patterns.iter().flat_map(|pattern| choices(pattern.trim()));
    all.any(|pattern| matches(pattern.trim_start_matches("./"), path))
}

/// `src/{a,b}.rs` is two patterns; what has more than a hundred of them is none.
fn choices(pattern: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut left = vec![pattern.to_owned()];
    while let Some(next) = left.pop() {
        let close = next.find('}');
        let open = close.and_then(|close| next.get(..close)?.rfind('{'));
        let (Some(open), Some(close)) = (open, close) else {
            done.push(next);
            continue;
        };
        let (head, inner, tail) = (&next[..open], &next[open + 1..close], &next[close + 1..]);
        left.extend(inner.split(',').map(|choice| format!("{head}{}{tail}", choice.trim())));
        if left.len() + done.len() > 100 {
            return vec![pattern.to_owned()];
        }
    }
    done
}

fn matches(pattern: &str, path: &str) -> bool {
    let folder = pattern.trim_end_matches('/');
    if pattern.is_empty() {
        return false;
    }
    if folder == "." || path == folder || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    {
        return true;
    }
    pattern.contains(['*', '?']) && glob(pattern.as_bytes(), path.as_bytes())
}

/// `*` and `?` stay within a folder, `**` does not. Iterative, with one place to come back to for each kind of
/// star, so that no pattern takes more than quadratic time.
fn glob(pattern: &[u8], path: &[u8]) -> bool {
    let (mut p, mut s) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    let mut deep: Option<(usize, usize)> = None;
    loop {
        if pattern[p..].starts_with(b"**") {
            let after = p + 2 + usize::from(pattern.get(p + 2) == Some(&b'/'));
            deep = Some((after, s));
            star = None;
            p = after;
            continue;
        }
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p + 1, s));
                p += 1;
                continue;
            }
            None if s == path.len() => return true,
            Some(b'?') if path.get(s).is_some_and(|c| *c != b'/') => {
                (p, s) = (p + 1, s + 1);
                continue;
            }
            Some(c) if path.get(s) == Some(c) => {
                (p, s) = (p + 1, s + 1);
                continue;
            }
            _ => {}
        }
        match (star, deep) {
            (Some((at, from)), _) if path.get(from).is_some_and(|c| *c != b'/') => {
                star = Some((at, from + 1));
                (p, s) = (at, from + 1);
            }
            (_, Some((at, from))) if from < path.len() => {
                deep = Some((at, from + 1));
                star = None;
                (p, s) = (at, from + 1);
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::names;

    fn named(pattern: &str, path: &str) -> bool {
        names(&[pattern.to_owned()], path)
    }

    #[test]
    fn paths_folders_and_patterns() {
        assert!(named("src/a.rs", "src/a.rs") && !named("src/a.rs", "src/a.rs.bak"));
        assert!(named("src/", "src/x/y.rs") && named("src", "src/x.rs") && !named("src", "src2/x.rs"));
        assert!(named("src/*.rs", "src/a.rs") && !named("src/*.rs", "src/x/a.rs"));
        assert!(named("src/**/*.rs", "src/x/y/a.rs") && named("src/**/*.rs", "src/a.rs"));
        assert!(named("src/App.*", "src/App.tsx") && named("**", "any/where") && named("a?c", "abc"));
        assert!(named("src/{a,b}.rs", "src/b.rs") && !named("src/{a,b}.rs", "src/c.rs"));
        assert!(named("{a,b}/{c,d}.md", "b/d.md") && named("odd}name", "odd}name"));
        assert!(!named("a?c", "a/c") && !named("", "x") && !named("migration + contracts", "src/m.sql"));
    }
}
