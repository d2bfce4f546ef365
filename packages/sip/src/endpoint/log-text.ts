const CREDENTIALS = /^(?<name>(?:Proxy-)?Authorization[ \t]*:).*(?:\r?\n[ \t].*)*/gimu;

/** A message without credentials, for storage. */
export function logText(message: string): string {
  return message.replace(CREDENTIALS, '$<name> (left out)');
}
