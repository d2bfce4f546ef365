import { parseWav } from '@calls/audio/wav';
import type { TelephonyDialect } from '@calls/providers/telephony/telephony-vendors';
import { resample } from '@calls/testkit/speech/shaping';
import type { ProviderKeys } from './accounts.ts';
import type { NumberBehaviour, Order } from './control.ts';
import { PhoneCall, type PhoneListener, type PhoneOptions } from './phone-call.ts';
import { json, type ApiResponse, type ApiRequest, type Dialling, type ProviderStandIn } from './provider.ts';
import { twilio } from './twilio.ts';
import { telnyx } from './telnyx.ts';
import { plivo } from './plivo.ts';
import { exotel, VOICEBOT_FORMAT } from './exotel.ts';
import { LINE_RATE_HZ } from './voice.ts';

const RINGS_MS = 200;
const MAX_PHONES = 200;

/** The networks of the telephony providers: their APIs and the phones of called and calling people. */
export class Exchange implements Disposable {
  readonly #providers: Readonly<Record<TelephonyDialect, ProviderStandIn>>;
  readonly #phones = new Map<string, PhoneCall>();
  readonly #numbers = new Map<string, NumberBehaviour>();
  readonly #listeners = new Map<string, PhoneListener>();

  constructor(keys: ProviderKeys) {
    this.#providers = {
      telephony1: twilio(keys),
      telephony2: telnyx(keys),
      telephony3: plivo(keys),
      telephony4: exotel(),
    };
  }

  /** Handles a request to the API of a provider. Returns null for an unknown path. */
  api(request: ApiRequest): ApiResponse | null {
    for (const provider of Object.values(this.#providers)) {
      const { dialling } = provider;
      if (dialling?.hangUp.path.test(request.path)) return this.#hangUp(dialling.hangUp, request);
      if (!dialling?.path.test(request.path) || request.method !== 'POST') continue;
      const read = dialling.read(request);
      if ('refusal' in read) return read.refusal;
      const { dialled } = read;
      const listener = this.#listeners.get(dialled.to);
      const phone = this.#open({ ...dialled, provider, dialled, listener });
      void phone.ring(this.#numbers.get(dialled.to) ?? 'answers', RINGS_MS);
      return dialling.accepted(phone.facts);
    }
    return null;
  }

  /** Sets the listener for future phone calls to this number. */
  listen(number: string, listener: PhoneListener): void {
    this.#listeners.set(number, listener);
  }

  /** The latest phone call to or from this number. */
  phoneOf(number: string): PhoneCall | undefined {
    return [...this.#phones.values()].findLast(({ facts: { from, to } }) => from === number || to === number);
  }

  async obey(order: Order): Promise<ApiResponse> {
    switch (order.order) {
      case 'dial_in':
        return json(200, this.#dialIn(order).report());
      case 'set_number':
        this.#numbers.set(order.number, order.behaviour);
        return json(200, {});
      case 'phone_of': {
        const phone = this.phoneOf(order.number);
        return phone ? json(200, phone.report()) : json(404, { detail: 'no such phone call' });
      }
      default:
        return this.#command(order);
    }
  }

  [Symbol.dispose](): void {
    for (const phone of this.#phones.values()) phone.cut();
  }

  async #command(order: Extract<Order, { phoneId: string }>): Promise<ApiResponse> {
    const phone = this.#phones.get(order.phoneId);
    if (!phone) return json(404, { detail: 'no such phone call' });
    switch (order.order) {
      case 'speak': {
        const { samples, sampleRateHz } = parseWav(Buffer.from(order.wav, 'base64'));
        await phone.voice.say(resample(samples, sampleRateHz, LINE_RATE_HZ));
        break;
      }
      case 'press':
        phone.press(order.digits);
        break;
      case 'hang_up':
        phone.hangUp();
        break;
      case 'cut':
        phone.cut();
        break;
      case 'played':
        return json(200, { wav: Buffer.from(phone.playedWav()).toString('base64') });
      case 'report':
        break;
    }
    return json(200, phone.report());
  }

  #hangUp({ method, path, refusal, done }: Dialling['hangUp'], request: ApiRequest): ApiResponse {
    if (request.method !== method) return json(405, { detail: 'Method Not Allowed' });
    const refused = refusal(request);
    if (refused) return refused;
    const callId = decodeURIComponent(path.exec(request.path)?.[2] ?? '');
    const phone = [...this.#phones.values()].find(({ facts }) => facts.callId === callId);
    if (!phone) return json(404, { detail: 'no such call' });
    phone.cancel();
    return done(phone.facts);
  }

  #dialIn({ provider: name, url, from, to }: Extract<Order, { order: 'dial_in' }>): PhoneCall {
    const provider = this.#providers[name];
    const phone = this.#open({ provider, from, to, dialled: null });
    void (name === 'telephony4'
      ? phone.stream({ url, said: VOICEBOT_FORMAT, played: VOICEBOT_FORMAT })
      : phone.obey({ url, method: 'POST' }));
    return phone;
  }

  #open(options: PhoneOptions): PhoneCall {
    if (this.#phones.size >= MAX_PHONES) throw new RangeError(`more than ${MAX_PHONES} phone calls`);
    const phone = new PhoneCall(options);
    this.#phones.set(phone.phoneId, phone);
    return phone;
  }
}
