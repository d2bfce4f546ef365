import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '@calls/local-stack/free-port';

const HOST = '127.0.0.1';
const LIMIT_MS = 120_000;

/** A scenario step that sends a message. */
export function sippSend(lines: readonly string[], retransmits = false): string {
  const attribute = retransmits ? ' retrans="500"' : '';
  return `<send${attribute}><![CDATA[\n\n${lines.join('\n')}\n\n]]></send>`;
}

/** `what`: attributes such as `request="ACK"`. `saved`: for each variable, the header whose value it receives. */
export function sippReceive(what: string, saved: Readonly<Record<string, string>> = {}): string {
  const actions = Object.entries(saved).map(
    ([variable, header]) =>
      `<ereg regexp=".*" search_in="hdr" header="${header}:" assign_to="${variable}" />`,
  );
  return `<recv ${what}>${actions.length === 0 ? '' : `<action>${actions.join('')}</action>`}</recv>`;
}

interface ResponseParts {
  headers?: readonly string[];
  /** SDP in the body. */
  sdp?: string;
  /** Header lines. Default: those of the last request. */
  via?: string;
  to?: string;
  cseq?: string;
}

export function sippResponse(status: string, parts: ResponseParts = {}): string {
  const { headers = [], sdp = '', via = '[last_Via:]', to = '[last_To:]', cseq = '[last_CSeq:]' } = parts;
  return sippSend([
    `SIP/2.0 ${status}`,
    ...[via, '[last_From:]', to, '[last_Call-ID:]', cseq],
    'Contact: <sip:sipp@[local_ip]:[local_port]>',
    ...headers,
    ...(sdp === '' ? [] : ['Content-Type: application/sdp']),
    ...['Content-Length: [len]', '', sdp],
  ]);
}

/** Runs one call of a SIPp scenario. */
export class Sipp implements AsyncDisposable {
  readonly port: number;
  /** Resolves when the call matched the scenario. Rejects with the output of SIPp otherwise. */
  readonly done: Promise<void>;
  readonly #dispose: () => Promise<void>;

  private constructor(port: number, done: Promise<void>, dispose: () => Promise<void>) {
    this.port = port;
    this.done = done;
    this.#dispose = dispose;
  }

  /** `target`: port of the called endpoint; null if SIPp is called. `host`: address of both. */
  static async start(steps: readonly string[], target: number | null, host = HOST): Promise<Sipp> {
    const folder = await mkdtemp(join(tmpdir(), 'calls-sipp-'));
    const file = join(folder, 'scenario.xml');
    const header = '<?xml version="1.0" encoding="ISO-8859-1" ?>\n<!DOCTYPE scenario SYSTEM "sipp.dtd">';
    await writeFile(file, `${header}\n<scenario name="test">\n${steps.join('\n')}\n</scenario>\n`);
    const port = await findFreePorts(1);
    const args = [
      ...['-sf', file, '-i', host, '-p', String(port), '-m', '1', '-nostdin', '-trace_err'],
      ...['-error_file', join(folder, 'errors'), '-timeout', `${LIMIT_MS / 1000}s`, '-timeout_error'],
      ...(target === null ? [] : [`${host.includes(':') ? `[${host}]` : host}:${target}`]),
    ];
    const child = spawn('sipp', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    const log: string[] = [];
    child.stderr.on('data', (text) => log.push(String(text)));
    const exited = once(child, 'exit');
    const done = exited.then(([code]) => {
      if (code !== 0) throw new Error(`SIPp exited with ${code}: ${log.join('')}`);
    });
    // A test can fail before it awaits `done`.
    done.catch(() => undefined);
    return new Sipp(port, done, async () => {
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispose();
  }
}
