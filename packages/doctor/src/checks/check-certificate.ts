import { toError } from '@calls/foundation/errors';
import { connect } from 'node:tls';
import type { Findings } from '../findings.ts';
import { reasonOf } from '../reason.ts';

const LIMIT_MS = 5000;
const EXPIRES_SOON_MS = 14 * 86_400_000;

export const CERTIFICATE_REMEDY =
  'browsers reject it, too: use a certificate for this name from a trusted authority';

export async function checkCertificate({ host, hostname, port }: URL, findings: Findings): Promise<void> {
  const name = hostname.replace(/^\[|\]$/gu, '');
  const endMs = await new Promise<number>((resolve, reject) => {
    const socket = connect({ host: name, port: Number(port || 443), servername: name }, () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to));
      socket.end();
    });
    socket.setTimeout(LIMIT_MS, () => socket.destroy(new Error('no response')));
    socket.once('error', reject);
  }).catch((thrown: unknown) => toError(thrown));
  const subject = `TLS of ${host}`;
  if (endMs instanceof Error) {
    findings.error(subject, reasonOf(endMs).text, CERTIFICATE_REMEDY);
    return;
  }
  const until = new Date(endMs).toISOString().slice(0, 10);
  if (endMs - Date.now() > EXPIRES_SOON_MS) findings.ok(subject, `valid until ${until}`);
  else findings.warning(subject, `expires on ${until}`, 'renew the certificate');
}
