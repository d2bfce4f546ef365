import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findFreePorts } from '@calls/local-stack/free-port';
import { runKamailio } from './kamailio.ts';

const HOST = '127.0.0.1';
const RTP_PORTS = 40;

export interface MediaProxyOptions {
  /** SIP URI to which all calls are sent. */
  target: string;
  /** Media profile that is offered to the called side, with SDES or DTLS keys. Audio of the caller is not encrypted. */
  profile: 'RTP/AVP' | 'RTP/SAVP' | 'UDP/TLS/RTP/SAVP';
  /** DTLS setup role in the offer. */
  setup: 'actpass' | 'passive';
}

/** A SIP proxy (Kamailio) that relays audio between both sides (rtpengine without its kernel module). */
export class MediaProxy implements AsyncDisposable {
  readonly port: number;
  /** Ports from which the relay sends audio. */
  readonly rtpPorts: { first: number; last: number };
  readonly #running: AsyncDisposableStack;

  private constructor(port: number, rtpPorts: MediaProxy['rtpPorts'], running: AsyncDisposableStack) {
    this.port = port;
    this.rtpPorts = rtpPorts;
    this.#running = running;
  }

  static async open(options: MediaProxyOptions): Promise<MediaProxy> {
    await using running = new AsyncDisposableStack();
    const port = await findFreePorts(2);
    const control = port + 1;
    const first = await findFreePorts(RTP_PORTS);
    const rtpPorts = { first, last: first + RTP_PORTS - 1 };
    running.use(await startRelay(control, rtpPorts));
    running.use(await runKamailio(configuration(options, port, control), port));
    return new MediaProxy(port, rtpPorts, running.move());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running.disposeAsync();
  }
}

async function startRelay(
  control: number,
  { first, last }: MediaProxy['rtpPorts'],
): Promise<AsyncDisposable> {
  const args = [
    ...['--foreground', '--log-stderr', '--log-level=6', '--table=-1', '--num-threads=1'],
    ...[`--interface=${HOST}`, `--listen-ng=${HOST}:${control}`],
    ...[`--port-min=${first}`, `--port-max=${last}`],
  ];
  const child = spawn('rtpengine', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const { promise: started, resolve, reject } = Promise.withResolvers<true>();
  let log = '';
  child.stderr.on('data', (text) => {
    log = `${log}${String(text)}`.slice(-4000);
    if (log.includes('Startup complete')) resolve(true);
  });
  void ended.then(() => reject(new Error(`rtpengine has ended: ${log}`)));
  await started;
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function configuration({ target, profile, setup }: MediaProxyOptions, port: number, control: number): string {
  const changes = 'replace-origin replace-session-connection ICE=remove';
  const offered = `${profile} ${profile === 'RTP/SAVP' ? 'DTLS=off' : ''}`;
  return `#!KAMAILIO
log_stderror=yes
children=1
tcp_children=1
listen=udp:${HOST}:${port}
listen=tcp:${HOST}:${port}
${['tm', 'sl', 'rr', 'pv', 'textops', 'textopsx', 'siputils', 'rtpengine'].map((name) => `loadmodule "${name}.so"`).join('\n')}
modparam("rr", "append_fromtag", 1)
modparam("rtpengine", "rtpengine_sock", "udp:${HOST}:${control}")
request_route {
  if (has_totag()) {
    if (is_method("BYE")) rtpengine_delete();
    loose_route();
    if (is_method("INVITE")) {
      if (is_direction("upstream")) rtpengine_offer("${changes} RTP/AVP");
      else rtpengine_offer("${changes} ${offered}");
      t_on_reply("ANSWER");
    }
    t_relay();
    exit;
  }
  if (is_method("INVITE")) {
    record_route();
    rtpengine_offer("${changes} ${offered}");
    msg_apply_changes();
    subst_body("/a=setup:actpass/a=setup:${setup}/");
    t_on_reply("ANSWER");
  }
  $du = "${target}";
  t_relay();
}
onreply_route[ANSWER] {
  if (has_body("application/sdp")) rtpengine_answer("${changes}");
}
`;
}
