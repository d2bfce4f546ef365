import { join } from 'node:path';
import { samplesFromMs } from '@calls/audio/pcm';
import { encodeWav, parseWav } from '@calls/audio/wav';
import type { TelephonyDialect } from '@calls/providers/telephony/telephony-vendors';
import { speak } from '@calls/testkit/speech/speak';
import { eventually } from '../eventually.ts';
import { askStandIn, startStandInProcess } from '@calls/testkit/stand-in-process';
import type { Accounts } from './accounts.ts';
import type { ExchangeReady, NumberBehaviour, Order, PhoneReport } from './control.ts';

/** The time limit of `eventually`. */
const LIMIT_MS = 120_000;
const LINE_RATE_HZ = 8000;

/** A process that implements the telephony providers according to their documentation, and the phones of people. */
export interface TelephoneExchange extends AsyncDisposable {
  /** Base URL of the API of every provider. */
  readonly baseUrl: string;
  readonly accounts: Accounts;
  setNumber(number: string, behaviour: NumberBehaviour): Promise<void>;
  /** Starts a call from a person. `url`: webhook of the called number, or the applet's WebSocket for telephony4. */
  dialIn(provider: TelephonyDialect, url: string, from: string): Promise<Phone>;
  /** Resolves with the phone call to this number when it has been dialled. */
  phoneOf(number: string): Promise<Phone>;
}

export async function startTelephoneExchange(): Promise<TelephoneExchange> {
  const child = await startStandInProcess<ExchangeReady>(join(import.meta.dirname, 'main.ts'), {});
  const baseUrl = `http://127.0.0.1:${child.ready.port}`;
  const ask = (order: Order): Promise<unknown> => askStandIn(`${baseUrl}/control`, order, LIMIT_MS);
  const phone = async (order: Order): Promise<Phone> =>
    new Phone(((await ask(order)) as PhoneReport).phoneId, ask);
  return {
    baseUrl,
    accounts: child.ready.accounts,
    async setNumber(number, behaviour) {
      await ask({ order: 'set_number', number, behaviour });
    },
    dialIn: (provider, url, from) => phone({ order: 'dial_in', provider, url, from, to: '+4930123450' }),
    phoneOf: (number) => eventually(() => phone({ order: 'phone_of', number })),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

/** A phone in a call and the person who uses it. */
export class Phone {
  readonly #phoneId: string;
  readonly #ask: (order: Order) => Promise<unknown>;

  constructor(phoneId: string, ask: (order: Order) => Promise<unknown>) {
    this.#phoneId = phoneId;
    this.#ask = ask;
  }

  /** Speaks a text. Resolves when the audio has been sent. */
  async say(text: string, voice = 'slt'): Promise<PhoneReport> {
    const samples = await speak({ engine: 'flite', voice, text, sampleRateHz: LINE_RATE_HZ });
    const wav = Buffer.from(encodeWav(samples, LINE_RATE_HZ)).toString('base64');
    return (await this.#ask({ order: 'speak', phoneId: this.#phoneId, wav })) as PhoneReport;
  }

  async press(digits: string): Promise<void> {
    await this.#ask({ order: 'press', phoneId: this.#phoneId, digits });
  }

  async hangUp(): Promise<void> {
    await this.#ask({ order: 'hang_up', phoneId: this.#phoneId });
  }

  async cut(): Promise<void> {
    await this.#ask({ order: 'cut', phoneId: this.#phoneId });
  }

  async report(): Promise<PhoneReport> {
    return (await this.#ask({ order: 'report', phoneId: this.#phoneId })) as PhoneReport;
  }

  /** Audio played in this interval of the call. */
  async played(fromMs: number, toMs: number): Promise<Int16Array> {
    const { wav } = (await this.#ask({ order: 'played', phoneId: this.#phoneId })) as { wav: string };
    const { samples, sampleRateHz } = parseWav(Buffer.from(wav, 'base64'));
    return samples.slice(samplesFromMs(fromMs, sampleRateHz), samplesFromMs(toMs, sampleRateHz));
  }

  /** Resolves with the first report for which `holds` returns true. Rejects after `limitMs`. */
  until(what: string, holds: (report: PhoneReport) => boolean, limitMs = LIMIT_MS): Promise<PhoneReport> {
    return eventually(async () => {
      const report = await this.report();
      if (!holds(report)) throw new Error(`not within ${limitMs} ms: ${what}; ${JSON.stringify(report)}`);
      return report;
    }, limitMs);
  }

  /** Waits until the agent speaks after `afterMs`. */
  soundAfter(afterMs: number): Promise<PhoneReport> {
    return this.until('a sound', ({ lastSoundMs }) => (lastSoundMs ?? -1) > afterMs);
  }

  /** Waits until the agent has finished speaking. */
  quiet(): Promise<PhoneReport> {
    return this.until(
      'silence',
      ({ isHearing, lastSoundMs, nowMs }) =>
        !isHearing && lastSoundMs !== null && nowMs - lastSoundMs > QUIET_MS,
    );
  }
}

/** Longer than the pauses in the speech of the agent. */
const QUIET_MS = 800;
