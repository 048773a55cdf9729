//! Files that are not read, and what they can be converted to.

use stagewright_base::printable;

/// Files of other programs, which can be converted to some that are read.
struct Kind {
    endings: &'static [&'static str],
    is_sound: bool,
    remedy: &'static str,
}

const KINDS: [Kind; 5] = [
    Kind {
        endings: &["flac", "mp3", "ogg", "oga", "opus", "aif", "aiff", "aifc", "m4a", "aac", "wma", "au", "w64", "caf"],
        is_sound: true,
        remedy: "convert the sound to .wav",
    },
    Kind {
        endings: &[
            "stl", "fbx", "dae", "3ds", "abc", "usd", "usda", "usdc", "usdz", "blend", "step", "stp", "off", "x3d",
        ],
        is_sound: false,
        remedy: "export the mesh as .obj or .glb",
    },
    Kind {
        endings: &[
            "tif", "tiff", "webp", "bmp", "tga", "hdr", "gif", "psd", "svg", "dds", "ktx", "ktx2", "jp2", "jxl",
            "avif", "heic",
        ],
        is_sound: false,
        remedy: concat!("save the image as ", images!(or)),
    },
    Kind {
        endings: &["tsv", "txt", "xls", "xlsx", "ods", "json", "parquet"],
        is_sound: false,
        remedy: "save the table as .csv",
    },
    Kind {
        endings: &["h5", "hdf5", "mat", "vtk", "vti", "nc", "raw", "bgeo", "pcd", "las", "xyz", "vtp"],
        is_sound: false,
        remedy: concat!("save a grid as ", grids!(or), ", and particles as ", particles!(or)),
    },
];

/// The kind of files with this extension, where they are those of other programs.
fn kind(ending: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.endings.contains(&ending))
}

/// Whether files with this extension are sounds in a format that is not read.
pub fn is_unread_sound(ending: &str) -> bool {
    kind(ending).is_some_and(|kind| kind.is_sound)
}

/// Why files with an extension are not read.
pub fn unread_cause(ending: &str) -> String {
    match ending {
        "" => "its name has no extension".into(),
        ending => format!(".{} files are not supported", printable::name(ending)),
    }
}

/// What to do about it.
pub fn unread_remedy(ending: &str) -> &'static str {
    kind(ending).map_or(
        concat!(
            "choose ",
            meshes!(or),
            " for a 3D domain, ",
            images!(or),
            " for a 2D one, ",
            grids!(or),
            " for either, ",
            particles!(or),
            " for particles, ",
            tracks!(or),
            " for a number"
        ),
        |kind| kind.remedy,
    )
}
