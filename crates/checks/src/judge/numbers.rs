//! Numbers: the whole output is one, compared as decimals without rounding.

use super::{Verdict, quoted};
use crate::commands::shell::Script;
use std::cmp::Ordering;
use wire::plan::clause::Op;

/// The whole output is one number, and it compares so.
pub(super) fn judge(op: Op, wanted: &str, text: &str, command: &str) -> Verdict {
    let trimmed = text.trim();
    let printed = of_wc(trimmed, command).unwrap_or(trimmed);
    let (wanted_number, wanted_unit) = unit(wanted);
    let (number, own_unit) = unit(printed);
    if parts(number).is_none() || trimmed.is_empty() {
        return Verdict::NoVerdict(format!("the output is not one number: {}", quoted(text)));
    }
    if wanted_unit != own_unit {
        return Verdict::NoVerdict(format!("the output has another unit: {}", quoted(text)));
    }
    let said = format!("printed {}", quoted(printed));
    match compare(number, wanted_number) {
        Some(order) if op.holds(order) => Verdict::Pass(said),
        Some(_) => Verdict::Fail(said),
        None => Verdict::NoVerdict(said),
    }
}

/// `wc` with a file prints the number and the file's name.
fn of_wc<'t>(text: &'t str, command: &str) -> Option<&'t str> {
    let script = Script::parse(command);
    let stage = script.last()?.stages.last()?;
    let flags: Vec<&String> = stage.iter().skip(1).filter(|arg| arg.starts_with('-')).collect();
    let one = stage.first()? == "wc" && flags.len() == 1 && flags.iter().all(|flag| flag.len() == 2);
    let (number, name) = text.split_once(' ')?;
    (one && !text.contains('\n') && stage.iter().any(|arg| arg == name.trim())).then_some(number)
}

fn unit(text: &str) -> (&str, &str) {
    match text.strip_suffix('%') {
        Some(number) => (number.trim_end(), "%"),
        None => (text, ""),
    }
}

/// How two decimals compare.
pub(super) fn compare(left: &str, right: &str) -> Option<Ordering> {
    let (left, right) = (parts(left)?, parts(right)?);
    let sign = |decimal: &Decimal| {
        if decimal.is_zero() {
            0
        } else if decimal.negative {
            -1
        } else {
            1
        }
    };
    let (left_sign, right_sign) = (sign(&left), sign(&right));
    if left_sign != right_sign {
        return Some(left_sign.cmp(&right_sign));
    }
    let order =
        left.whole.len().cmp(&right.whole.len()).then_with(|| left.whole.cmp(&right.whole)).then_with(|| {
            let digits = left.part.len().max(right.part.len());
            format!("{:0<digits$}", left.part).cmp(&format!("{:0<digits$}", right.part))
        });
    Some(if left_sign < 0 { order.reverse() } else { order })
}

struct Decimal {
    negative: bool,
    whole: String,
    part: String,
}

impl Decimal {
    fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.part.bytes().all(|digit| digit == b'0')
    }
}

/// The digits of a decimal: `-12.5`, `1,600`.
fn parts(text: &str) -> Option<Decimal> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let grouped = whole
        .split(',')
        .enumerate()
        .all(|(at, group)| if at == 0 { (1..=3).contains(&group.len()) } else { group.len() == 3 });
    let whole = if whole.contains(',') && grouped { whole.replace(',', "") } else { whole.to_owned() };
    let plain = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (plain(&whole) && plain(part)).then(|| Decimal {
        negative,
        whole: whole.trim_start_matches('0').to_owned(),
        part: part.to_owned(),
    })
}
