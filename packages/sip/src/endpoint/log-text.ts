const CREDENTIALS = /^(?<name>(?:Proxy-)?Authorization[ \t]*:).*(?:\r?\n[ \t].*)*/gimu;

/** A message as it may be kept: what answers a challenge is left out. */
export function logText(message: string): string {
  return message.replace(CREDENTIALS, '$<name> (left out)');
}
