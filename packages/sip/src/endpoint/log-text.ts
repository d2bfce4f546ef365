const CREDENTIALS = /^(?<name>(?:Proxy-)?Authorization[ \t]*:).*(?:\r?\n[ \t].*)*/gimu;

/** A message without its credentials, as it may be stored. */
export function logText(message: string): string {
  return message.replace(CREDENTIALS, '$<name> (left out)');
}
