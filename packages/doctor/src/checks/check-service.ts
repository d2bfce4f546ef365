import { isLocal } from '../hosts.ts';
import type { Findings } from '../findings.ts';
import { reasonOf } from '../reason.ts';
import { CERTIFICATE_REMEDY, checkCertificate } from './check-certificate.ts';

const LIMIT_MS = 5000;

/** Whether the service answers, and whether a browser gives a page from there the microphone. False: nothing else can be looked at. */
export async function checkService(base: URL, findings: Findings): Promise<boolean> {
  if (!(await isThere(base, findings))) return false;
  if (base.protocol === 'https:') await checkCertificate(base, findings);
  else if (isLocal(base.hostname))
    findings.ok('microphone', 'browsers give it to pages of this machine, without https too');
  else {
    findings.fault(
      'microphone',
      `browsers give no page from ${base.origin} the microphone, as it has no https`,
      'serve the console and your pages over https (a proxy with a certificate), or open them on localhost',
    );
  }
  return true;
}

async function isThere(base: URL, findings: Findings): Promise<boolean> {
  const { origin } = base;
  try {
    const answer = await fetch(new URL('/healthz', base), { signal: AbortSignal.timeout(LIMIT_MS) });
    const answeredBy = new URL(answer.url).origin;
    if (answeredBy !== origin) {
      findings.fault(
        'service',
        `${origin} leads on to ${answeredBy}`,
        `run this again with --url ${answeredBy}`,
      );
      return false;
    }
    if (!answer.ok) throw new Error(`answers ${answer.status}`);
    findings.ok('service', `${origin} answers`);
    return true;
  } catch (thrown) {
    const { text, code } = reasonOf(thrown);
    findings.fault(
      'service',
      `${origin} can't be used: ${text}`,
      /CERT|SIGN|TLS|SSL/u.test(code)
        ? CERTIFICATE_REMEDY
        : 'is it running, is this its address (PUBLIC_URL, --url), does the proxy in front of it reach PORT?',
    );
    return false;
  }
}
