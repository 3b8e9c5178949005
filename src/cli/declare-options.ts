/** The options that several commands share, as their manuals say them. */
import { Option } from 'commander'
import type { Command } from 'commander'

export function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

/** What both `get` and `add` can be told about the links and how to get them. */
export function addDownloadOptions(command: Command): Command {
  return command
    .argument('[links...]', 'http and https links')
    .option('--video <link>', 'link of the picture; goes with --audio')
    .option('--audio <link>', 'link of the sound; goes with --video')
    .option('-i, --input-file <file>', 'text file with one link per line; - is standard input')
    .option('-d, --dir <folder>', 'folder to save to, made when it is missing')
    .option('-o, --output <name>', 'name of the file (default: what the host calls it)')
    .option('-x, --connections <number>', 'connections per file, 1 to 16 (default: 8)')
    .option('--header <line>', 'header to send, as "Name: value"; may be repeated', collect)
    .option('--cookies <file>', 'cookies to send where they belong, as a Netscape cookies.txt')
    .option('--netrc', 'take names and passwords from ~/.netrc')
    .option('--netrc-file <file>', 'take them from this file')
    .option('--proxy <address>', 'proxy, such as http://host:3128 or socks5://host:1080')
    .option('--insecure <host>', 'take this host without checking its certificate; may be repeated', collect)
    .option('--leave-https', 'follow a redirect from https to plain http')
    .option(
      '--checksum <sum>',
      'what the file must have, as algorithm:hex (md5, sha1, sha256, sha384, sha512)',
    )
    .option('--direct', 'take a web page as a file')
    .addOption(new Option('--format <format>').hideHelp())
    .addOption(new Option('--audio-only').hideHelp())
}

/** What every command to a running host takes. */
export function addHostOptions(command: Command): Command {
  return command
    .option('--json', 'write JSON, one value per line')
    .option('--data-dir <folder>', 'data folder of the host')
}
