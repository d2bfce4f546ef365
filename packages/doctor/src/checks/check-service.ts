import { toError } from '@calls/foundation';
import { connect } from 'node:tls';
import { isLocal } from '../hosts.ts';
import type { Findings } from '../findings.ts';

const LIMIT_MS = 5000;
const EXPIRES_SOON_MS = 14 * 86_400_000;

/** Whether the service answers, and whether a browser gives a page from there the microphone. False: nothing else can be looked at. */
export async function checkService(base: URL, findings: Findings): Promise<boolean> {
  try {
    const answer = await fetch(new URL('/healthz', base), { signal: AbortSignal.timeout(LIMIT_MS) });
    if (!answer.ok) throw new Error(`answers ${answer.status}`);
    findings.ok('service', `${base.origin} answers`);
  } catch (thrown) {
    findings.fault(
      'service',
      `${base.origin} can't be used: ${reasonOf(thrown)}`,
      'is it running, is this its address (PUBLIC_URL, --url), does the proxy in front of it reach PORT?',
    );
    return false;
  }
  if (base.protocol === 'https:') await checkCertificate(base, findings);
  else if (isLocal(base.hostname))
    findings.ok('microphone', 'browsers give it to pages of this machine without TLS');
  else {
    findings.fault(
      'microphone',
      `browsers give no page from ${base.origin} the microphone`,
      'serve the console and your pages over https (a proxy with a certificate), or open them on localhost',
    );
  }
  return true;
}

export async function checkCertificate(base: URL, findings: Findings): Promise<void> {
  const host = base.hostname.replace(/^\[|\]$/gu, '');
  const endMs = await new Promise<number>((resolve, reject) => {
    const socket = connect({ host, port: Number(base.port || 443), servername: host }, () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to));
      socket.end();
    });
    socket.setTimeout(LIMIT_MS, () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
  }).catch((thrown: unknown) => toError(thrown));
  if (endMs instanceof Error) {
    findings.fault(
      `TLS of ${base.host}`,
      endMs.message,
      'browsers refuse it too: it takes a certificate for this name of an authority that they know',
    );
    return;
  }
  const until = new Date(endMs).toISOString().slice(0, 10);
  if (endMs - Date.now() > EXPIRES_SOON_MS) findings.ok(`TLS of ${base.host}`, `valid until ${until}`);
  else findings.warning(`TLS of ${base.host}`, `ends on ${until}`, 'renew the certificate');
}

/** fetch hides what happened in its error's cause. */
function reasonOf(thrown: unknown): string {
  const { message, cause } = toError(thrown);
  return cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message;
}
