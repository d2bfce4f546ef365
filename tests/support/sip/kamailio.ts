import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '@calls/local-stack/free-port';
import type { Certificate } from '@calls/testkit/certificates';
import { eventually } from '../eventually.ts';

const HOST = '127.0.0.1';

export interface KamailioOptions {
  certificate: Certificate;
  /** CA of the client certificates, which the proxy requires. */
  caFile: string;
  /** URI to which requests from TLS peers are sent. `fromOthers`: for requests from other peers. */
  fromTls: string;
  fromOthers: string;
}

/** A SIP proxy (Kamailio) that connects TLS and UDP peers and stays in the route of calls. */
export class Kamailio implements AsyncDisposable {
  readonly tlsPort: number;
  readonly udpPort: number;
  readonly #process: AsyncDisposable;

  private constructor(ports: { tls: number; udp: number }, process: AsyncDisposable) {
    this.tlsPort = ports.tls;
    this.udpPort = ports.udp;
    this.#process = process;
  }

  static async open(options: KamailioOptions): Promise<Kamailio> {
    const first = await findFreePorts(2);
    const ports = { tls: first, udp: first + 1 };
    return new Kamailio(ports, await runKamailio(configuration(options, ports), ports.tls));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }
}

/** Starts Kamailio with a configuration that listens on this TCP port. */
export async function runKamailio(text: string, port: number): Promise<AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'calls-kamailio-'));
  const file = join(folder, 'kamailio.cfg');
  await writeFile(file, text);
  const child = spawn('kamailio', ['-f', file, '-DD', '-E', '-Y', folder, '-P', join(folder, 'pid')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const log: string[] = [];
  child.stderr.on('data', (data) => log.push(String(data)));
  try {
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`kamailio has ended: ${log.join('')}`);
      const socket = connect(port, HOST);
      await once(socket, 'connect');
      socket.destroy();
    });
    return { [Symbol.asyncDispose]: stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

function configuration(
  { certificate, caFile, fromTls, fromOthers }: KamailioOptions,
  ports: { tls: number; udp: number },
): string {
  const tls = {
    certificate: certificate.certificateFile,
    private_key: certificate.keyFile,
    ca_list: caFile,
    verify_certificate: 1,
    require_certificate: 1,
  };
  return `#!KAMAILIO
log_stderror=yes
children=1
tcp_children=1
enable_tls=yes
listen=tls:${HOST}:${ports.tls}
listen=udp:${HOST}:${ports.udp}
${['tls', 'tm', 'sl', 'rr', 'pv', 'textops', 'siputils', 'xlog'].map((name) => `loadmodule "${name}.so"`).join('\n')}
modparam("tls", "tls_method", "TLSv1.2+")
${Object.entries(tls)
  .map(([name, value]) => `modparam("tls", "${name}", ${typeof value === 'number' ? value : `"${value}"`})`)
  .join('\n')}
request_route {
  if (has_totag()) {
    loose_route();
    t_relay();
    exit;
  }
  if (!is_method("CANCEL")) record_route();
  if (proto == TLS) $du = "${fromTls}";
  else $du = "${fromOthers}";
  t_relay();
}
`;
}
