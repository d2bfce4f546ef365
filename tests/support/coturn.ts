import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkRelays } from '@calls/doctor/checks/check-relays';
import { Findings, type Finding } from '@calls/doctor/findings';
import { findFreePorts } from '@calls/local-stack/free-port';
import type { IceServer, TransportParameters } from '@calls/api-contract/signalling/signal-messages';
import { eventually } from './eventually.ts';

/** A TURN server on this machine with time-limited credentials (use-auth-secret), as operators configure it. */
export interface Coturn extends AsyncDisposable {
  readonly port: number;
  readonly secret: string;
}

/** `address`: the address that it listens on and relays from. */
export async function startCoturn(address: string): Promise<Coturn> {
  const secret = 'a secret of the relay';
  const port = await findFreePorts(1);
  const folder = await mkdtemp(join(tmpdir(), 'calls-turn-'));
  const args = [
    ...['-n', '--no-tls', '--no-dtls', '--no-cli', '--log-file', 'stdout', '--simple-log'],
    ...['--allow-loopback-peers', '--no-multicast-peers', '--listening-ip', address, '--relay-ip', address],
    ...['--listening-port', String(port), '--realm', 'calls', '--use-auth-secret'],
    ...['--static-auth-secret', secret],
    ...['--userdb', join(folder, 'users'), '--pidfile', join(folder, 'pid')],
  ];
  const child = spawn('turnserver', args, { stdio: 'ignore', cwd: folder });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await eventually(async () => {
    const [finding] = await findingsOf([{ urls: [`stun:${address}:${port}`] }], NO_MEDIA);
    if (finding?.outcome !== 'ok') throw new Error(finding?.text);
  });
  return {
    port,
    secret,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

type Media = Pick<TransportParameters, 'iceCandidates' | 'iceParameters'>;

const NO_MEDIA: Media = { iceCandidates: [], iceParameters: { usernameFragment: '', password: '' } };

/** Returns the doctor's findings about these servers and the path from them to a media-worker. */
export async function findingsOf(iceServers: readonly IceServer[], media: Media): Promise<Finding[]> {
  const findings: Finding[] = [];
  const relays = await checkRelays(iceServers, media);
  relays.tell(new Findings((finding) => findings.push(finding)));
  return findings;
}

/** Credentials that are valid for one minute. */
export function turnCredentials(secret: string): { username: string; credential: string } {
  const username = `${Math.floor(Date.now() / 1000) + 60}:doctor`;
  return { username, credential: createHmac('sha1', secret).update(username).digest('base64') };
}
