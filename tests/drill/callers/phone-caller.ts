import type { Stack } from '@calls/local-stack/stack';
import { Api } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { createAccounts } from '../../support/telephony/accounts.ts';
import { listen } from '../../support/telephony/server.ts';
import { AgentAudio, type DrillCaller } from './drill-caller.ts';

const PROVIDERS = ['telephony1', 'telephony2', 'telephony3'] as const;
const FROM = '+4930555000';

/** Simulated telephony providers, and the phones that they call. */
export interface TelephoneNetwork extends AsyncDisposable {
  /** Environment variables of a stack that uses the simulated providers. */
  readonly env: Readonly<Record<string, string>>;
  /** Stores the credentials of all providers. Call it once per stack. */
  configure(stack: Stack): Promise<void>;
  /** Places a call of an agent to a phone. The provider changes with each call. */
  call(api: Api, settings: Record<string, unknown>): Promise<DrillCaller>;
}

export async function openTelephoneNetwork(): Promise<TelephoneNetwork> {
  const keys = createAccounts();
  const server = await listen(keys);
  const { exchange } = server;
  const baseUrl = `http://127.0.0.1:${server.port}`;
  let phones = 0;
  return {
    env: Object.fromEntries(PROVIDERS.map((name) => [`${name.toUpperCase()}_BASE_URL`, baseUrl])),
    async configure(stack) {
      const api = new Api(stack);
      for (const provider of PROVIDERS) {
        const path = `/api/telephony_configs/${provider}`;
        const { status, body } = await api.request('POST', path, keys.accounts[provider]);
        if (status !== 201) throw new Error(`POST ${path} returned ${status}: ${JSON.stringify(body)}`);
      }
    },
    async call(api, settings) {
      const provider = PROVIDERS[phones % PROVIDERS.length] ?? 'telephony1';
      phones += 1;
      const to = `+49301${phones}`;
      const agent = new AgentAudio();
      exchange.listen(to, { onSound: () => agent.audible(), onStreamLost: () => agent.moved() });
      const medium = { [provider]: { outgoing: { to, from: FROM, additionalParams: {} } } };
      const { callId } = await api.createCall({ ...settings, medium });
      const phone = await eventually(() => {
        const found = exchange.phoneOf(to);
        if (!found) throw new Error(`${to} was not called`);
        return found;
      });
      let isHangingUp = false;
      return {
        callId,
        medium: 'phone',
        agent,
        get lost() {
          if (!phone.isOver || isHangingUp) return null;
          const { status, verbs, streamEnds, errors } = phone.report();
          return `${provider}: ${JSON.stringify({ status, verbs, streamEnds, errors })}`;
        },
        hangUp() {
          isHangingUp = true;
          phone.hangUp();
          return Promise.resolve();
        },
      };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
