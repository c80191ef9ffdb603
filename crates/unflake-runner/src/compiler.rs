//! A Java compiler that stays: one JVM that compiles what it is told, as often as it is told.

use crate::children::command;
use std::io::{self, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A compiler, ready for its next files. It ends when this is dropped, and when the program is gone.
#[derive(Debug)]
pub struct Compiler {
    child: Child,
    /// `None` only while it is dropped.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// An error in a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// Empty: it is not about one file.
    pub file: PathBuf,
    /// From 1; 0: not about one line.
    pub line: u32,
    pub message: String,
}

impl Compiler {
    /// `home`: a JDK. `runner`: the folder with our own classes.
    pub fn start(home: &Path, runner: &Path) -> io::Result<Compiler> {
        let mut child = command(home.join("bin/java"), Path::new("/"))
            .args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"])
            .arg(runner)
            .arg("unflake.runner.Compiler")
            .env_remove("JAVA_TOOL_OPTIONS")
            .env_remove("_JAVA_OPTIONS")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let mut compiler = Compiler {
            child,
            input: Some(input),
            output: BufReader::new(output),
        };
        match compiler.byte() {
            Ok(1) => Ok(compiler),
            Ok(_) => Err(io::Error::other("it is a JRE, which has no compiler")),
            Err(error) => Err(error),
        }
    }

    /// Compiles files. What is wrong with them; empty: they are compiled.
    pub fn compile(&mut self, options: &[String], files: &[PathBuf]) -> io::Result<Vec<CompileError>> {
        let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        let mut request = Vec::new();
        for texts in [options, &names] {
            request.extend(length(texts.len())?);
            for text in texts {
                request.extend(length(text.len())?);
                request.extend_from_slice(text.as_bytes());
            }
        }
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        input.write_all(&request)?;
        input.flush()?;
        let is_done = self.byte()? == 1;
        let mut errors = Vec::new();
        for _ in 0..self.number()? {
            errors.push(CompileError {
                file: PathBuf::from(self.text()?),
                line: self.number()?,
                message: self.text()?,
            });
        }
        if !is_done && errors.is_empty() {
            errors.push(CompileError {
                file: PathBuf::new(),
                line: 0,
                message: "the compiler failed without saying why".to_owned(),
            });
        }
        Ok(if is_done { Vec::new() } else { errors })
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.output.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    fn number(&mut self) -> io::Result<u32> {
        let mut bytes = [0; 4];
        self.output.read_exact(&mut bytes)?;
        Ok(u32::from_be_bytes(bytes))
    }

    fn text(&mut self) -> io::Result<String> {
        let mut bytes = vec![0; self.number()? as usize];
        self.output.read_exact(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        drop(self.input.take());
        // It ends by itself when its input does; this is for one that is stuck. It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn length(of: usize) -> io::Result<[u8; 4]> {
    let length = u32::try_from(of).map_err(|_| io::Error::other("too much to compile"))?;
    Ok(length.to_be_bytes())
}
