import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Call } from '@calls/api-contract/rest/call';
import type { Voice } from '@calls/api-contract/rest/voice';
import { newId } from '@calls/foundation/ids';
import { omit } from '@calls/foundation/omit';
import { ControlPlaneHarness, type TestAccount } from '../../support/control-plane-harness.ts';

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
afterAll(() => harness.stop());

const PATH = '/api/voices';
const provider1 = { provider1: { voiceId: 'v1', stability: 0.4 } };
const generic = {
  generic: {
    url: 'https://voices.example.com/speak',
    headers: { Authorization: 'Bearer very-secret' },
    body: { text: '{text}', nested: { voice: 'x' } },
  },
};

const shownGeneric = { generic: omit(generic.generic, 'headers') };

const pathOf = ({ voiceId }: Voice): string => `${PATH}/${voiceId}`;
const namesOf = async (of: TestAccount, query: string): Promise<string[]> =>
  (await of.list<Voice>(`${PATH}${query}`)).results.map(({ name }) => name);
async function publicVoice(): Promise<Voice> {
  const { results } = await account.list<Voice>(`${PATH}?ownership=public&pageSize=1`);
  return results[0]!;
}
async function add(of: TestAccount, name: string, more: object = {}): Promise<Voice> {
  const response = await of.post<Voice>(PATH, { name, definition: provider1, ...more });
  if (response.status !== 201) throw new Error(JSON.stringify(response.body));
  return response.body;
}

describe('an account voice', () => {
  it('is added, read, replaced, changed and deleted', async () => {
    const created = await account.post<Voice>(PATH, {
      name: 'Ada',
      description: 'calm',
      primaryLanguage: 'en-GB',
      definition: provider1,
    });
    expect(created).toMatchObject({
      status: 201,
      body: {
        name: 'Ada',
        description: 'calm',
        primaryLanguage: 'en-GB',
        languageLabel: 'English (United Kingdom)',
        ownership: 'private',
        billingStyle: 'VOICE_BILLING_STYLE_EXTERNAL',
        provider: 'provider1',
        definition: provider1,
      },
    });
    const path = pathOf(created.body);
    expect(created.body.previewUrl).toBe(`${harness.url}${path}/preview`);
    expect((await account.request<Voice>(path)).body).toEqual(created.body);

    const changed = await account.send<Voice>('PATCH', path, { primaryLanguage: 'fr' });
    expect(changed).toMatchObject({
      status: 200,
      body: { ...created.body, primaryLanguage: 'fr', languageLabel: 'French' },
    });
    expect((await account.send<Voice>('PATCH', path, {})).body).toEqual(changed.body);
    const replaced = await account.send<Voice>('PUT', path, { name: 'Bea', definition: generic });
    expect(replaced.body).toEqual({
      ...created.body,
      name: 'Bea',
      description: null,
      primaryLanguage: null,
      languageLabel: null,
      provider: 'generic',
      definition: shownGeneric,
    });
    expect((await account.send<Voice>('PUT', path, replaced.body)).body).toEqual(replaced.body);

    expect((await account.send('DELETE', path)).status).toBe(204);
    expect((await account.request(path)).status).toBe(404);
    expect((await account.send('DELETE', path)).status).toBe(404);
    expect((await account.send('PATCH', path, {})).status).toBe(404);
  });

  it('stores its headers encrypted, never returns them and removes them on deletion', async () => {
    const voice = await add(account, 'Sealed', { definition: generic });
    expect(voice.definition).toEqual(shownGeneric);
    const stored = async (): Promise<string> => {
      const { rows } = await harness.query(
        'select engine_settings::text as settings from voices where voice_id = $1',
        voice.voiceId,
      );
      return String(rows[0]!['settings']);
    };
    expect(await stored()).toContain('sealed:v1:');
    expect(await stored()).not.toContain('very-secret');
    // Sending a response back preserves the headers; changing the URL removes them.
    await account.send('PUT', pathOf(voice), voice);
    await account.send('PATCH', pathOf(voice), { definition: voice.definition });
    expect(await stored()).toContain('sealed:v1:');
    const elsewhere = { generic: { ...shownGeneric.generic, url: 'https://elsewhere.example.com/' } };
    await account.send('PATCH', pathOf(voice), { definition: elsewhere });
    expect(await stored()).not.toContain('sealed:v1:');
    await account.send('DELETE', pathOf(voice));
    expect(await stored()).toBe('{}');
  });

  it.each([
    ['no definition', { name: 'x' }, 'definition'],
    ['an empty definition', { name: 'x', definition: {} }, 'definition'],
    ['two definitions', { name: 'x', definition: { ...provider1, provider3: {} } }, 'definition'],
    ['an unknown provider', { name: 'x', definition: { provider9: {} } }, 'definition.provider9'],
    [
      'an unknown field of the provider',
      { name: 'x', definition: { provider3: { apiKey: 'x' } } },
      'definition.provider3.apiKey',
    ],
    ['no name', { definition: provider1 }, 'name'],
    ['a name that is too long', { name: 'x'.repeat(41), definition: provider1 }, 'name'],
    [
      'a description that is too long',
      { name: 'x', description: 'x'.repeat(241), definition: provider1 },
      'description',
    ],
    [
      'an invalid language',
      { name: 'x', primaryLanguage: 'en-GB-GB', definition: provider1 },
      'primaryLanguage',
    ],
    [
      'a forbidden address',
      { name: 'x', definition: { generic: { url: 'http://10.0.0.1/speak' } } },
      'definition.generic.url',
    ],
  ])('is rejected with %s', async (_, body, path) => {
    const refused = await account.post(PATH, body);
    expect(refused.status).toBe(400);
    expect(refused.body.errors!.map((issue) => issue.path)).toContain(path);
  });

  it('is not accessible to other accounts', async () => {
    const voice = await add(await harness.account(), 'Theirs');
    const path = pathOf(voice);
    const whole = { name: 'x', definition: provider1 };
    for (const [method, at, body] of [
      ['GET', path],
      ['GET', `${path}/preview`],
      ['PATCH', path, {}],
      ['PUT', path, whole],
      ['DELETE', path],
      ['GET', `${PATH}/${newId()}`],
      ['GET', `${PATH}/none`],
    ] as const) {
      expect([method, at, (await account.send(method, at, body)).status]).toEqual([method, at, 404]);
    }
    expect(await namesOf(account, '?search=Theirs')).toEqual([]);
    const medium = { serverWebSocket: { inputSampleRate: 16_000 } };
    const call = await account.post('/api/calls', { medium, voice: voice.voiceId });
    expect(call.body.errors).toEqual([
      { path: 'voice', message: 'must be the id or the name of a voice in the catalogue' },
    ]);
  });

  it('remains referenced by the calls that used it', async () => {
    const voice = await add(account, 'Once', { definition: generic });
    const call = await account.createCall({ voice: 'Once' });
    await account.send('DELETE', pathOf(voice));
    expect((await account.request<Call>(`/api/calls/${call.callId}`)).body.voice).toBe('Once');
    const { rows } = await harness.query('select voice_id from calls where call_id = $1', call.callId);
    expect(rows).toEqual([{ voice_id: voice.voiceId }]);
  });

  it('may share its name with another voice and is then selected by id', async () => {
    const voice = await add(account, 'Alba', { definition: generic });
    const medium = { serverWebSocket: { inputSampleRate: 16_000 } };
    const byName = await account.post('/api/calls', { medium, voice: 'Alba' });
    expect(byName.body.errors).toEqual([
      { path: 'voice', message: 'must be an id, because several voices have this name' },
    ]);
    expect((await account.post('/api/calls', { medium, voice: voice.voiceId })).status).toBe(201);
    await account.send('DELETE', pathOf(voice));
  });
});

describe('public voices', () => {
  it('have no definition and cannot be replaced, changed or deleted', async () => {
    const voice = await publicVoice();
    expect(voice).toMatchObject({
      ownership: 'public',
      billingStyle: 'VOICE_BILLING_STYLE_INCLUDED',
      provider: null,
      definition: {},
    });
    for (const [method, body] of [
      ['PATCH', { name: 'mine' }],
      ['PUT', { name: 'mine', definition: provider1 }],
      ['DELETE'],
    ] as const) {
      expect(await account.send(method, pathOf(voice), body)).toMatchObject({
        status: 403,
        body: { code: 'public_voice' },
      });
    }
    expect((await account.request<Voice>(pathOf(voice))).body).toEqual(voice);
  });
});

describe('the list of voices', () => {
  let lister: TestAccount;
  beforeAll(async () => {
    lister = await harness.account();
    await add(lister, 'First', { primaryLanguage: 'en-US', description: 'a Warm_voice' });
    await add(lister, 'Second', { definition: { provider3: { voiceId: 'x' } } });
    await add(lister, 'Third', { primaryLanguage: 'en-GB', definition: generic });
  });

  it('starts with account voices, oldest first, followed by public voices', async () => {
    expect(await namesOf(lister, '')).toEqual([
      'First',
      'Second',
      'Third',
      'Alba',
      'Bruno',
      'Clara',
      'Dario',
    ]);
  });

  it.each([
    ['?ownership=private', ['First', 'Second', 'Third']],
    ['?ownership=public', ['Alba', 'Bruno', 'Clara', 'Dario']],
    ['?billingStyle=VOICE_BILLING_STYLE_EXTERNAL', ['First', 'Second', 'Third']],
    ['?billingStyle=VOICE_BILLING_STYLE_INCLUDED', ['Alba', 'Bruno', 'Clara', 'Dario']],
    ['?provider=provider1', ['First']],
    ['?provider=provider1&provider=provider3', ['First', 'Second']],
    ['?provider=provider3,generic', ['Second', 'Third']],
    ['?provider=provider6', []],
    ['?search=aRM_v', ['First']],
    ['?search=W%25m', []],
    ['?search=SECO', ['Second']],
    ['?search=united%20states', ['First']],
    ['?search=en-us', ['First']],
    ['?search=a&ownership=public', ['Alba', 'Clara', 'Dario']],
    // Matches the tag, then its language, then voices without a language.
    ['?primaryLanguage=en-GB', ['Third', 'Alba', 'Bruno', 'Dario', 'First', 'Second']],
    ['?primaryLanguage=EN-us', ['First', 'Third', 'Alba', 'Bruno', 'Dario', 'Second']],
    ['?primaryLanguage=en', ['First', 'Third', 'Alba', 'Bruno', 'Dario', 'Second']],
    ['?primaryLanguage=de-AT', ['Clara', 'Second']],
    ['?primaryLanguage=ja', ['Second']],
    ['?primaryLanguage=en-GB&provider=generic&ownership=private', ['Third']],
  ])('can be filtered by %s', async (query, names) => {
    expect(await namesOf(lister, query)).toEqual(names);
    expect((await lister.list<Voice>(`${PATH}${query}`)).total).toBe(names.length);
  });

  it.each([
    '?primaryLanguage=',
    '?primaryLanguage=en_GB',
    '?primaryLanguage=e',
    '?search=',
    '?provider=x',
    '?provider=provider1,',
    '?ownership=mine',
    '?billingStyle=FREE',
  ])('rejects %s', async (query) => {
    expect(await account.request(`${PATH}${query}`)).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    });
  });

  it.each(['', '&primaryLanguage=en-US', '&provider=provider1,provider3'])(
    'pages in both directions and is stable while voices are added (%s)',
    async (filter) => {
      const pager = await harness.account();
      for (const name of ['a', 'b', 'c']) await add(pager, name, { primaryLanguage: 'en' });
      const all = await pager.list<Voice>(`${PATH}?pageSize=100${filter}`);
      const first = await pager.list<Voice>(`${PATH}?pageSize=2${filter}`);
      const seen = [...first.results];
      let page = first;
      await add(pager, 'late', { primaryLanguage: 'en-US' });
      while (page.next !== null) {
        page = await pager.list<Voice>(page.next);
        seen.push(...page.results.filter(({ name }) => name !== 'late'));
      }
      expect(seen).toEqual(all.results);
      const back = [...page.results];
      while (page.previous !== null) {
        page = await pager.list<Voice>(page.previous);
        back.unshift(...page.results);
      }
      expect(back.filter(({ name }) => name !== 'late')).toEqual(all.results);
    },
  );
});
