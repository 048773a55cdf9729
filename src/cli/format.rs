//! `--format` of `stagewright render`, once there is a choice of formats.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use stagewright_export::sink::Format;
use stagewright_export::{DEFAULT, image_format_named, image_formats};

const NAME: &str = "format";

pub struct FormatArgs {
    pub format: &'static Format,
}

/// The option for a choice among these formats; `None` where there is only one.
fn argument(formats: &[&Format]) -> Option<Arg> {
    if formats.len() < 2 {
        return None;
    }
    let values = formats.iter().map(|format| PossibleValue::new(format.name).help(format.about));
    let argument = Arg::new(NAME).long(NAME).value_name("FORMAT").help("Format of the files");
    Some(argument.value_parser(PossibleValuesParser::new(values)).default_value(DEFAULT.name))
}

impl Args for FormatArgs {
    fn augment_args(command: Command) -> Command {
        command.args(argument(&image_formats().collect::<Vec<_>>()))
    }

    fn augment_args_for_update(command: Command) -> Command {
        FormatArgs::augment_args(command)
    }
}

impl FromArgMatches for FormatArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<FormatArgs, Error> {
        // Without a choice, the argument does not exist.
        let name = matches.try_get_one::<String>(NAME).ok().flatten();
        Ok(FormatArgs { format: name.and_then(|name| image_format_named(name)).unwrap_or(DEFAULT) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = FormatArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_chosen_where_there_are_several() {
        assert!(argument(&[DEFAULT]).is_none());
        let other = Format { name: "other", ..*DEFAULT };
        let command = Command::new("render").args(argument(&[DEFAULT, &other]));
        let chosen = |arguments: &[&str]| {
            let matches = command.clone().try_get_matches_from(arguments)?;
            Ok::<_, Error>(matches.get_one::<String>(NAME).cloned())
        };
        assert_eq!(chosen(&["render"]).unwrap().as_deref(), Some(DEFAULT.name));
        assert_eq!(chosen(&["render", "--format", "other"]).unwrap().as_deref(), Some("other"));
        let error = chosen(&["render", "--format", "gif"]).unwrap_err().to_string();
        assert!(error.contains("gif") && error.contains("other"), "{error}");
    }
}
