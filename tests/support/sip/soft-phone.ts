import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import { concatSamples } from '@calls/audio/pcm';
import { decodeWavData, encodeWav } from '@calls/audio/wav';
import { readWavHeader } from '@calls/audio/wav-header';
import { findFreePorts } from '@calls/local-stack/free-port';
import { eventually } from '../eventually.ts';
import { inNamespace, startForwarder } from '../network/namespace.ts';
import { ControlLink } from './control-link.ts';

export const PHONE_RATE_HZ = 8000;
const HOST = '127.0.0.1';
const RTP_PORTS = 10;
/** Silence after the audio, because the end of the microphone file ends the call. */
const QUIET_S = 120;

/** The phone does not start without a non-loopback network interface. Tests that require it are then skipped. */
export const describeWithPhone = hasNetwork() ? describe : describe.skip;

function hasNetwork(): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return addresses.some(({ family, internal }) => family === 'IPv4' && !internal);
}

export type PhoneCodec = 'PCMU' | 'PCMA' | 'G722' | 'opus';

/** Names and sample rates as baresip defines them. */
const CODECS: Readonly<Record<PhoneCodec, { name: string; rateHz: number }>> = {
  PCMU: { name: 'PCMU/8000/1', rateHz: PHONE_RATE_HZ },
  PCMA: { name: 'PCMA/8000/1', rateHz: PHONE_RATE_HZ },
  G722: { name: 'G722/16000/1', rateHz: 16_000 },
  opus: { name: 'opus/48000/2', rateHz: 48_000 },
};

export interface SoftPhoneOptions {
  user: string;
  /** Default: false; the phone rings until `accept` is called. */
  answersAtOnce?: boolean;
  /** Codecs in the order of the offer. Default: PCMU, PCMA. */
  codecs?: readonly PhoneCodec[];
  /** Audio encryption: SDES with the profile RTP/AVP, SDES with RTP/SAVP, or DTLS. Default: none. */
  encryption?: 'srtp' | 'srtp-mand' | 'dtls_srtp';
  /** Outbound proxy for all calls: host and port, with parameters. */
  proxy?: string;
  /** PEM file with the trusted CA. */
  caFile?: string;
  /** Network namespace and address of the phone. Default: 127.0.0.1 in the current namespace. */
  network?: { namespace: string; address: string };
}

/** The SIP phone baresip with audio files as microphone and loudspeaker. */
export class SoftPhone implements AsyncDisposable {
  /** Address for calls to the phone. */
  readonly uri: string;
  /** Sample rate of the first codec and of spoken and played audio. */
  readonly rateHz: number;
  readonly #control: ControlLink;
  readonly #folder: string;
  readonly #stop: () => Promise<void>;
  #spoken = 0;

  private constructor(
    { uri, folder, rateHz }: { uri: string; folder: string; rateHz: number },
    control: ControlLink,
    stop: () => Promise<void>,
  ) {
    this.uri = uri;
    this.rateHz = rateHz;
    this.#folder = folder;
    this.#control = control;
    this.#stop = stop;
  }

  static async open(options: SoftPhoneOptions): Promise<SoftPhone> {
    const { user, answersAtOnce = false, codecs = ['PCMU', 'PCMA'], proxy, encryption, caFile } = options;
    const { namespace = null, address: host = HOST } = options.network ?? {};
    const folder = await mkdtemp(join(tmpdir(), 'calls-phone-'));
    // The phone reserves the port after its SIP port for TLS, which these tests do not use.
    const sip = await findFreePorts(3);
    const control = sip + 2;
    const rtp = await findFreePorts(RTP_PORTS);
    const rateHz = CODECS[codecs[0] ?? 'PCMU'].rateHz;
    const quiet = join(folder, 'quiet.wav');
    await writeFile(quiet, encodeWav(new Int16Array(QUIET_S * rateHz), rateHz));
    await writeFile(
      join(folder, 'config'),
      [
        ...[`sip_listen ${host}:${sip}`, `rtp_ports ${rtp}-${rtp + RTP_PORTS - 1}`],
        ...['poll_method epoll', 'call_max_calls 4', 'audio_buffer 20-160'],
        ...[`ausrc_srate ${rateHz}`, 'ausrc_channels 1'],
        ...['audio_player aubridge,loudspeaker', `audio_source aufile,${quiet}`, 'audio_alert aubridge,bell'],
        ...[`snd_path ${folder}`, 'module_path /usr/lib/baresip/modules'],
        // The account refers to its encryption by name.
        ...[
          'opus',
          'g722',
          'g711',
          'aufile',
          'aubridge',
          'sndfile',
          'srtp',
          'dtls_srtp',
          'account',
          'menu',
          'ctrl_tcp',
        ].map((name) => `module ${name}.so`),
        `ctrl_tcp_listen ${HOST}:${control}`,
        ...(caFile === undefined ? [] : [`sip_cafile ${caFile}`, 'sip_verify_server yes']),
        '',
      ].join('\n'),
    );
    const account = [
      `<sip:${user}@${host}:${sip}>;regint=0;answermode=${answersAtOnce ? 'auto' : 'manual'}`,
      ...(proxy === undefined ? [] : [`outbound="sip:${proxy}"`]),
      ...(encryption === undefined ? [] : [`mediaenc=${encryption}`]),
      `audio_codecs=${codecs.map((codec) => CODECS[codec].name).join(',')}`,
    ];
    await writeFile(join(folder, 'accounts'), `${account.join(';')}\n`);
    const [program, ...args] = inNamespace(namespace, ['baresip', '-f', folder, '-s']);
    const log = await open(join(folder, 'log.txt'), 'w');
    const child = spawn(program, args, { stdio: ['pipe', log.fd, log.fd] });
    const ended = once(child, 'exit');
    await log.close();
    const path = join(folder, 'control');
    const link =
      namespace === null ? null : await startForwarder(namespace, { listen: path, connect: control });
    const stop = async (): Promise<void> => {
      await link?.[Symbol.asyncDispose]();
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    };
    try {
      const uri = `sip:${user}@${host}:${sip}`;
      return new SoftPhone({ uri, folder, rateHz }, await ControlLink.connect(link ? path : control), stop);
    } catch (thrown) {
      await stop();
      throw thrown;
    }
  }

  /** Types of all events so far, in order. */
  get events(): readonly string[] {
    return this.#control.events.map(({ type }) => type);
  }

  /** Keys that were received as telephone events. */
  get pressedKeys(): string {
    const pressed = this.#control.events.filter(({ type }) => type === 'CALL_DTMF_START');
    return pressed.map(({ param }) => param).join('');
  }

  /** Resets the phone to its state before the last call. */
  async forget(): Promise<void> {
    this.#control.events.length = 0;
    await this.speak(new Int16Array(0));
  }

  until(type: string): Promise<void> {
    return eventually(() => {
      if (!this.events.includes(type)) throw new Error(`no ${type} yet, only ${this.events.join(', ')}`);
    });
  }

  async dial(uri: string): Promise<void> {
    await this.#control.command('dial', uri);
  }

  async accept(): Promise<void> {
    await this.#control.command('accept');
  }

  /** Ends the call. While it rings, rejects it as busy. */
  async hangUp(): Promise<void> {
    await this.#control.command('hangup');
  }

  /** Requests the peer to call another party (REFER). */
  async transfer(uri: string): Promise<void> {
    await this.#control.command('transfer', uri);
  }

  async hold(): Promise<void> {
    await this.#control.command('hold');
  }

  async resume(): Promise<void> {
    await this.#control.command('resume');
  }

  async press(digits: string): Promise<void> {
    await this.#control.command('sndcode', digits);
  }

  /** Sends this audio in the current call, then silence. */
  async speak(samples: Int16Array): Promise<void> {
    this.#spoken += 1;
    const file = join(this.#folder, `spoken-${this.#spoken}.wav`);
    const followed = concatSamples([samples, new Int16Array(QUIET_S * this.rateHz)]);
    await writeFile(file, encodeWav(followed, this.rateHz));
    await this.#control.command('ausrc', `aufile,${file}`);
  }

  /** Audio played in the latest call so far. */
  async played(): Promise<Int16Array> {
    const files = (await readdir(this.#folder)).filter((name) => name.endsWith('-dec.wav')).sort();
    const file = files.at(-1);
    if (!file) return new Int16Array(0);
    const bytes = await readFile(join(this.#folder, file));
    const header = readWavHeader(bytes);
    // The length in the header is set only when the call has ended.
    return header ? decodeWavData(bytes.subarray(header.dataOffset), header.format) : new Int16Array(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#control.close();
    await this.#stop();
  }
}
