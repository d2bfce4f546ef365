import { isLocal } from '../hosts.ts';
import type { Findings } from '../findings.ts';
import { reasonOf } from '../reason.ts';
import { CERTIFICATE_REMEDY, checkCertificate } from './check-certificate.ts';

const LIMIT_MS = 5000;

/**
 * Checks whether the service responds, and whether browsers allow its pages to use the microphone. Returns false if no
 * further check is possible.
 */
export async function checkService(base: URL, findings: Findings): Promise<boolean> {
  if (!(await isThere(base, findings))) return false;
  if (base.protocol === 'https:') await checkCertificate(base, findings);
  else if (isLocal(base.hostname))
    findings.ok('microphone', 'available to pages of this machine, even without https');
  else {
    findings.error(
      'microphone',
      `not available to pages from ${base.origin}, because it has no https`,
      'serve the console and your pages over https (a proxy with a certificate), or open them on localhost',
    );
  }
  return true;
}

async function isThere(base: URL, findings: Findings): Promise<boolean> {
  const { origin } = base;
  try {
    const response = await fetch(new URL('/healthz', base), { signal: AbortSignal.timeout(LIMIT_MS) });
    const respondingOrigin = new URL(response.url).origin;
    if (respondingOrigin !== origin) {
      findings.error(
        'service',
        `${origin} redirects to ${respondingOrigin}`,
        `run this again with --url ${respondingOrigin}`,
      );
      return false;
    }
    if (!response.ok) throw new Error(`responds with ${response.status}`);
    findings.ok('service', `${origin} responds`);
    return true;
  } catch (thrown) {
    const { text, code } = reasonOf(thrown);
    findings.error(
      'service',
      `${origin} cannot be used: ${text}`,
      /CERT|SIGN|TLS|SSL/u.test(code)
        ? CERTIFICATE_REMEDY
        : 'is it running, is this its address (PUBLIC_URL, --url), does the proxy in front of it reach PORT?',
    );
    return false;
  }
}
