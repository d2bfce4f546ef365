import type { SipInviteQuestion } from '@calls/api-contract/bus/sip-invites';
import { isUuid } from '@calls/api-contract/validation/is-uuid';

const HOST = /^(?:sips?:)?(?:[^@]*@)?(?<host>[^@:;?]+)/iu;

/** The called account: by the Request-URI or, if a proxy replaced it, by `To`. Null if the domain is not ours. */
export function accountOfDomain(
  { domain, to }: Pick<SipInviteQuestion, 'domain' | 'to'>,
  sipDomain: string,
): string | null {
  const under = `.${sipDomain.toLowerCase()}`;
  const hosts = [domain, HOST.exec(to.uri)?.groups?.['host'] ?? ''].map((host) => host.toLowerCase());
  const own = hosts.find((host) => host.endsWith(under))?.slice(0, -under.length) ?? '';
  return isUuid(own) ? own : null;
}
