import { InvalidVariableError } from './variable.ts';

const SERVER_URL = /^(?<start>[a-z][a-z0-9+]*:\/\/(?:[^/?#]*@)?)(?<hosts>[^/?#@]*)(?<rest>[/?#].*)?$/iu;

/**
 * The URLs of the hosts that a URL names, as in `postgres://user:password@a:5432,b:5432/calls`, each with the credentials,
 * path and parameters of the whole. Throws an InvalidVariableError whose message does not contain the URL.
 */
export function serverUrls(text: string, protocols: readonly string[]): readonly URL[] {
  const { start = '', hosts = '', rest = '' } = SERVER_URL.exec(text)?.groups ?? {};
  const urls = hosts.split(',').flatMap((host) => URL.parse(`${start}${host.trim()}${rest}`) ?? []);
  const isValid = urls.length === hosts.split(',').length && protocols.includes(urls[0]?.protocol ?? '');
  // Server URLs have no fragment, so a # belongs to a password and must be encoded.
  if (!isValid || text.includes('#')) {
    const hasProtocol = protocols.some((protocol) => text.startsWith(protocol));
    const encoding = hasProtocol ? ' and has special characters encoded, as in %23 for #' : '';
    throw new InvalidVariableError(`must be a URL that starts with ${protocols.join(' or ')}${encoding}`);
  }
  if (urls.length > 1 && urls.some(({ hostname }) => hostname === ''))
    throw new InvalidVariableError('must name a host between its commas');
  return urls;
}
