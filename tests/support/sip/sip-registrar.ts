import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '@calls/local-stack/free-port';
import { eventually } from '../eventually.ts';

const HOST = '127.0.0.1';
/** Time limit of a command, which is then repeated: the registrar may have just started, or the machine may be busy. */
const COMMAND_LIMIT_MS = 500;

export interface SipRegistrarOptions {
  /** User name for digest authentication, next to its password. */
  authUser: string;
  password: string;
  /** The maximum lifetime of registrations. */
  maxExpiresS: number;
}

/**
 * A SIP proxy and registrar with digest authentication (Kamailio). It routes calls for a user to the registered
 * Contacts.
 */
export class SipRegistrar implements AsyncDisposable {
  readonly port: number;
  readonly #commandPort: number;
  readonly #stop: () => Promise<void>;

  private constructor(port: number, commandPort: number, stop: () => Promise<void>) {
    this.port = port;
    this.#commandPort = commandPort;
    this.#stop = stop;
  }

  static async start(options: SipRegistrarOptions): Promise<SipRegistrar> {
    const folder = await mkdtemp(join(tmpdir(), 'calls-registrar-'));
    const port = await findFreePorts(2);
    const commandPort = port + 1;
    const file = join(folder, 'kamailio.cfg');
    await writeFile(file, configuration(options, port, commandPort));
    const args = ['-f', file, '-DD', '-E', '-w', folder, '-Y', folder, '-m', '16', '-M', '4'];
    const log = await open(join(folder, 'log.txt'), 'w');
    const child = spawn('kamailio', args, { stdio: ['ignore', 'ignore', log.fd] });
    const ended = once(child, 'exit');
    await log.close();
    const registrar = new SipRegistrar(port, commandPort, async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    });
    try {
      await registrar.#command('core.version');
      return registrar;
    } catch (thrown) {
      await registrar[Symbol.asyncDispose]();
      throw thrown;
    }
  }

  /** Host and port. */
  get address(): string {
    return `${HOST}:${this.port}`;
  }

  /** The registered Contact URIs of a user. */
  async bindings(user: string): Promise<string[]> {
    const found = await this.#command('ul.lookup', 'location', user);
    return [...found.matchAll(/"Address":\s*"(?<uri>[^"]+)"/gu)].map((match) => match.groups?.['uri'] ?? '');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop();
  }

  /** Sends JSON-RPC in datagrams (module jsonrpcs). A process per command would use more CPU time. */
  #command(method: string, ...params: readonly string[]): Promise<string> {
    return eventually(() => this.#ask(method, params));
  }

  async #ask(method: string, params: readonly string[]): Promise<string> {
    const socket = createSocket('udp4');
    try {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), this.#commandPort, HOST);
      const signal = AbortSignal.timeout(COMMAND_LIMIT_MS);
      const [answer] = (await once(socket, 'message', { signal })) as [Buffer];
      return answer.toString();
    } finally {
      socket.close();
    }
  }
}

function configuration(
  { authUser, password, maxExpiresS }: SipRegistrarOptions,
  port: number,
  commandPort: number,
) {
  const modules = [
    ...['tm', 'sl', 'rr', 'pv', 'maxfwd', 'siputils', 'usrloc', 'registrar', 'auth', 'jsonrpcs', 'textops'],
  ];
  return `#!KAMAILIO
debug=1
children=1
disable_tcp=yes
auto_aliases=no
listen=udp:${HOST}:${port}
${modules.map((name) => `loadmodule "${name}.so"`).join('\n')}
modparam("jsonrpcs", "transport", 4)
modparam("jsonrpcs", "dgram_socket", "udp:${HOST}:${commandPort}")
modparam("registrar", "max_expires", ${maxExpiresS})
modparam("registrar", "default_expires", ${maxExpiresS})
modparam("usrloc", "timer_interval", 1)
request_route {
  if (!mf_process_maxfwd_header("10")) {
    sl_send_reply("483", "Too Many Hops");
    exit;
  }
  if (is_method("REGISTER")) {
    if ($au != "${authUser}" || !pv_www_authenticate("$td", "${password}", "0")) {
      www_challenge("$td", "1");
      exit;
    }
    save("location");
    exit;
  }
  if (has_totag()) {
    if (loose_route()) {
      t_relay();
      exit;
    }
    if (is_method("ACK") && t_check_trans()) t_relay();
    exit;
  }
  if (is_method("CANCEL")) {
    if (t_check_trans()) t_relay();
    exit;
  }
  record_route();
  if (!lookup("location")) {
    sl_send_reply("404", "Not Found");
    exit;
  }
  t_relay();
}
`;
}
