//! A sweep that runs in the background, task after task, with news of each.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::SweepError;
use super::canvas::{fitted, load};
use super::manifest::{Manifest, Options, Task};
use super::sheet::THUMBNAIL;
use super::task::{Context, Finished, Outcome, Step};
use crate::background::{Outbox, Over, Worker};
use crate::document::Document;
use crate::files::Access;
use crate::gpu::Gpu;
use crate::library::Library;
use crate::sim::Image;

/// The most folders that are tried.
const FOLDERS: usize = 1_000;

/// What a job tells.
pub enum News {
    /// The tasks, before the first of them runs, and the folder that they write to.
    Begun(Vec<Task>, PathBuf),
    /// A task runs; the share of its frames that are computed, 0..1.
    Running(usize, f32),
    /// A task is complete, with a small version of its image where that can be read.
    Complete(Box<Finished>, Option<Image>),
    /// A task failed; why, in a sentence or a few. The others go on.
    Failed(usize, String),
    /// The job is over: whether it ran to its end, or why it could not begin.
    Ended(Result<bool, String>),
}

/// What a job runs.
pub struct Order {
    /// The graph.
    pub document: Document,
    /// Stages of the graph.
    pub library: Arc<Library>,
    /// Which files it may read.
    pub access: Access,
    /// The name of its file, without folders.
    pub name: String,
    /// What varies, and what is written.
    pub options: Options,
    /// The folder of the sweep. Where it holds another sweep, one of a similar name is taken: `sweep_2`.
    pub folder: PathBuf,
}

/// A sweep on its own thread. Dropping it cancels the sweep; complete tasks stay.
pub struct Job {
    worker: Worker<News>,
    over: bool,
}

impl Job {
    /// Starts a sweep with simulations of its own on a device. `wake` is called on the thread when there is news.
    pub fn start(gpu: &Gpu, order: Order, wake: impl Fn() + Send + 'static) -> Job {
        let gpu = gpu.clone();
        let work = move |outbox: &Outbox<News>| {
            let ended = order.run(&gpu, outbox).map_err(|error| error.to_string());
            outbox.send(News::Ended(ended));
        };
        Job { worker: Worker::start("sweep", wake, work), over: false }
    }

    /// What has happened since the last call.
    pub fn news(&mut self) -> Vec<News> {
        let mut all = Vec::new();
        while !self.over {
            let news = match self.worker.next() {
                Ok(Some(news)) => news,
                Ok(None) => break,
                Err(Over) => News::Ended(Err("the sweep has stopped; start it again".into())),
            };
            self.over = matches!(news, News::Ended(_));
            all.push(news);
        }
        all
    }

    /// Ends it after the present frame. The task that runs begins again with the next sweep into the folder.
    pub fn cancel(&self) {
        self.worker.cancel();
    }
}

impl Order {
    /// Returns whether it ran to its end.
    fn run(&self, gpu: &Gpu, outbox: &Outbox<News>) -> Result<bool, SweepError> {
        let (cancel, tell) = (&outbox.cancel, |news: News| outbox.send(news));
        let manifest = Manifest::new(&self.options, &self.name, &self.document, &self.library, &self.access, None)?;
        manifest.check(&self.document, &self.library)?;
        let folder = free(&self.folder, &manifest)?;
        manifest.write(&folder)?;
        tell(News::Begun(manifest.tasks.clone(), folder.clone()));
        let context = Context {
            manifest: &manifest,
            base: &self.document,
            library: &self.library,
            access: &self.access,
            from: None,
            folder: &folder,
        };
        for task in &manifest.tasks {
            let outcome = context.run(gpu, task, &mut |step| {
                if let Step::Frames(progress) = step {
                    tell(News::Running(task.index, progress.share()));
                }
                !cancel.is_cancelled()
            });
            match outcome {
                Ok(Outcome::Done(finished, _) | Outcome::Kept(finished)) => {
                    let path = folder.join(task.folder()).join(&finished.image);
                    let small = load(&path).map(|image| fitted(&image, THUMBNAIL));
                    tell(News::Complete(finished, small));
                }
                Ok(Outcome::Cancelled) => return Ok(false),
                Err(error) => tell(News::Failed(task.index, error.to_string())),
            }
            if cancel.is_cancelled() {
                return Ok(false);
            }
        }
        super::summarize(&folder)?;
        Ok(true)
    }
}

/// The folder, or one with a number after its name: the first that holds this sweep or nothing.
fn free(folder: &Path, manifest: &Manifest) -> Result<PathBuf, SweepError> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for number in 1..=FOLDERS {
        let next = if number == 1 { folder.to_path_buf() } else { folder.with_file_name(format!("{name}_{number}")) };
        match Manifest::read(&next) {
            Ok(Some(present)) if present != *manifest => {}
            Err(_) if number < FOLDERS => {}
            Ok(_) => return Ok(next),
            Err(error) => return Err(error),
        }
    }
    Err(format!("{}: it and its neighbours hold other sweeps; choose another folder", folder.display()).into())
}
