/**
 * Registers a made-up vendor of each kind and uses it through the API. A process of its own: schemas are derived when their modules
 * load, and a Jest worker shares modules between test files. Sends what it got to its parent.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Closed } from '@calls/api-contract/rest/common';
import type { Voice } from '@calls/api-contract/rest/voice';
import type { ApiError } from '@calls/api-contract/rest/common';
import { Secret } from '@calls/api-contract/rest/resource';
import { number, voiceId } from '@calls/api-contract/vendors/fields';
import { formFields } from '@calls/api-contract/vendors/form-fields';
import {
  TELEPHONY_ACCOUNT_VENDORS,
  TELEPHONY_DIALECTS,
  TELEPHONY_PROVIDERS,
  TELEPHONY_VENDORS,
} from '@calls/api-contract/vendors/telephony-vendors';
import {
  defineTelephonyVendor,
  Identifier,
  Token,
} from '@calls/api-contract/vendors/telephony/telephony-vendor';
import { KEYED_TTS_VENDORS, TTS_VENDORS, VOICE_PROVIDERS } from '@calls/api-contract/vendors/tts-vendors';
import { defineTtsVendor } from '@calls/api-contract/vendors/tts/tts-vendor';

/** The whole of a made-up text-to-speech vendor, and of a telephony vendor: the schemas are derived when their modules load. */
const whisperTown = defineTtsVendor({
  key: 'provider99',
  name: 'Whisper Town',
  settings: Closed(
    { voiceId: voiceId('The id of the voice.'), warmth: number('Warmth, up to 5.', { maximum: 5 }) },
    'Provider99Voice',
  ),
  priceFields: ['voiceId'],
  mainFields: ['voiceId'],
  credential: 'token',
  endpoint: { variable: 'TTS_PROVIDER99_BASE_URL', url: 'https://api.whisper-town.test' },
});
const tinCan = defineTelephonyVendor({
  key: 'telephony99',
  name: 'Tin Can',
  account: {
    fields: { canId: Identifier, stringToken: Secret(Token) },
    example: { canId: 'can-1', stringToken: 'token' },
    endpoint: { variable: 'TELEPHONY99_BASE_URL', url: 'https://api.tin-can.test' },
  },
});

/** Adds to a list of the contract, before the modules that read it are loaded. */
function add(list: readonly unknown[], ...items: readonly unknown[]): void {
  (list as unknown[]).push(...items);
}
for (const list of [TTS_VENDORS, KEYED_TTS_VENDORS]) add(list, whisperTown);
add(VOICE_PROVIDERS, whisperTown.key);
for (const list of [TELEPHONY_VENDORS, TELEPHONY_ACCOUNT_VENDORS]) add(list, tinCan);
for (const list of [TELEPHONY_DIALECTS, TELEPHONY_PROVIDERS]) add(list, tinCan.key);

/** Answers every request that has the key with half a second of a tone: bare samples at 24 kHz. */
const STAND_IN = `
  import { createServer } from 'node:http';
  const samples = Int16Array.from({ length: 12000 }, (_, i) => 8000 * Math.sin(i / 10));
  const server = createServer((request, response) => {
    if (request.headers.authorization !== process.env.KEY) return response.writeHead(401).end('{}');
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(Buffer.from(samples.buffer));
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;
const KEY = process.env['MADE_UP_KEY'] ?? '';
const TOKEN = process.env['MADE_UP_TOKEN'] ?? '';

const standIn = spawn(process.execPath, ['--input-type=module', '-e', STAND_IN], {
  env: { KEY },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [port] = (await once(standIn.stdout, 'data')) as [Buffer];
const { TTS_ADAPTERS } = await import('@calls/providers/tts/adapters');
const { createHttpTextToSpeech } = await import('@calls/providers/tts/http-text-to-speech');
const { PcmSpeechReader } = await import('@calls/providers/tts/pcm-speech-reader');
const { settingsValidator } = await import('@calls/providers/tts/voice-settings');
Object.assign(TTS_ADAPTERS, {
  [whisperTown.key]: (options: Parameters<typeof TTS_ADAPTERS.provider3>[0]) =>
    createHttpTextToSpeech(
      {
        provider: whisperTown.key,
        settings: settingsValidator(whisperTown),
        request: ({ apiKey, voiceId: voice, warmth }, { text }) => ({
          path: '/speak',
          headers: { authorization: apiKey },
          body: { voice, warmth, text },
        }),
        reader: () => new PcmSpeechReader(whisperTown.key, 24_000),
      },
      options,
    ),
});
const { ControlPlaneHarness: Harness } = await import('../control-plane-harness.ts');
const harness = await Harness.start({
  env: { [whisperTown.endpoint.variable]: `http://127.0.0.1:${port.toString().trim()}` },
});
const { parseWav } = await import('@calls/audio/wav');
const account = await harness.account();
const definition = { provider99: { voiceId: 'v', warmth: 2 } };
const webSocketCall = { externalVoice: definition, medium: { serverWebSocket: { inputSampleRate: 16_000 } } };
const voice = (settings: object) =>
  account.post<Voice & ApiError>('/api/voices', { name: 'Mine', definition: { provider99: settings } });

const incomplete = await voice({});
const keyless = await account.post('/api/calls', webSocketCall);
const keys = await account.send('PATCH', '/api/accounts/me/tts_api_keys', { provider99: KEY });
const storedKeys = await harness.query('select sealed_key from tts_api_keys');
const call = await account.post('/api/calls', webSocketCall);
const overridden = await account.post('/api/calls', {
  voice: 'Alba',
  voiceOverrides: { provider99: { voiceId: 'other' } },
});
const added = await voice(definition.provider99);
const preview = await fetch(`${harness.url}/api/voices/${added.body.voiceId}/preview`, {
  headers: { 'X-API-Key': account.key },
});
const wav = parseWav(Buffer.from(await preview.arrayBuffer()));

const configs = '/api/telephony_configs/telephony99';
const incompleteConfig = await account.post(configs, { canId: 'can-1' });
const config = await account.post(configs, { canId: 'can-1', stringToken: TOKEN });
const storedConfigs = await harness.query('select secrets from telephony_configs');
const phoneCall = await account.post<{ joinUrl?: string }>('/api/calls', { medium: { telephony99: {} } });

const results = {
  incomplete: incomplete.body.errors,
  keyless: keyless.body.errors,
  keys: keys.body,
  storedKeys: storedKeys.rows,
  call: call.status,
  overridden: overridden.body.errors,
  added: added.status,
  speech: {
    durationMs: (wav.samples.length / wav.sampleRateHz) * 1000,
    peak: wav.samples.reduce((peak, sample) => Math.max(peak, sample), 0),
  },
  form: formFields(whisperTown),
  incompleteConfig: incompleteConfig.body.errors,
  config,
  storedConfigs: storedConfigs.rows,
  phoneCall: { status: phoneCall.status, joinUrl: phoneCall.body.joinUrl },
};
export type Results = typeof results;
process.send?.(results);
standIn.kill();
await harness.stop();
process.disconnect();
