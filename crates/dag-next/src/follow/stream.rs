//! A stream of plans on standard input, of which only the latest counts.

use crate::plan::{self, PlanView};
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Duration;
use toolkit::Fail;
use toolkit::files::change_notice::Notice;
use toolkit::stream::input;
use toolkit::stream::pipe_ends::{self, Want};
use wire::plan::ticks::Ticks;

/// A plan, and what was ticked since it was printed; without a document, since the one before.
#[derive(Default)]
pub(crate) struct News {
    pub(crate) document: Vec<u8>,
    pub(crate) ticks: Vec<Ticks>,
}

/// What has come of the stream.
#[derive(Default)]
pub(crate) struct Plans {
    came: Vec<u8>,
    /// Whether the stream has ended.
    pub(crate) ended: bool,
}

impl Plans {
    /// Waits for the first plan.
    pub(crate) fn first(&mut self) -> Result<News, Fail> {
        loop {
            if let Some(news) = self.take()? {
                return Ok(news);
            }
            if self.ended {
                return PlanView::read(&self.came).map(|_| News::default());
            }
            self.wait(None, Duration::from_secs(60))?;
        }
    }

    /// The latest plan that has come whole and was not taken, and what was ticked since.
    pub(crate) fn take(&mut self) -> Result<Option<News>, Fail> {
        let Some(end) = memchr::memrchr(b'\n', &self.came) else { return Ok(None) };
        let rest = self.came.split_off(end + 1);
        let came = std::mem::replace(&mut self.came, rest);
        let mut news = News::default();
        for line in came.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
            match plan::ticks(line) {
                Some(ticks) => news.ticks.push(ticks?),
                None => news = News { document: line.to_vec(), ticks: Vec::new() },
            }
        }
        Ok((!news.document.is_empty() || !news.ticks.is_empty()).then_some(news))
    }

    /// Waits for more of the stream, for a change, or for the time to be up.
    pub(crate) fn wait(&mut self, notice: Option<&Notice>, limit: Duration) -> Result<(), Fail> {
        let others = notice.map(Notice::fds).unwrap_or_default();
        let want = (!self.ended).then_some(Want::Data);
        if pipe_ends::wait(want, &others, Some(limit))?.input {
            self.read()?;
        }
        Ok(())
    }

    fn read(&mut self) -> Result<(), Fail> {
        let failed = |e: io::Error| Fail::io(Path::new("<stdin>"), &e);
        let stdin = io::stdin().as_fd().try_clone_to_owned().map_err(failed)?;
        let mut block = vec![0; 1 << 16];
        match std::fs::File::from(stdin).read(&mut block) {
            Ok(0) => self.ended = true,
            Ok(size) => self.came.extend_from_slice(&block[..size]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(failed(e)),
        }
        Ok(())
    }
}

/// The failure of a stream that ends before its orders are settled.
pub(crate) fn cut() -> Fail {
    let fail = Fail::data("truncated-stream", "the stream of plans ended before the plan did");
    fail.in_file(Path::new("<stdin>"))
}

/// Refuses a terminal: plans come from a pipe.
pub(crate) fn refuse_terminal() -> Result<(), Fail> {
    input::Input::open(None).map(|_| ())
}
