import { makePdfBomb } from '../../support/corpora/make-documents.ts';

/** A request of an account to one operation. */
export interface MaliciousInput {
  kind: string;
  name: string;
  method: 'POST' | 'PATCH' | 'PUT' | 'GET';
  path: string;
  /** JSON as text, or a file for the field `file`. */
  body?: string;
  file?: { type: string; bytes: Buffer };
  /** Expected response statuses. */
  statuses: number[];
}

const MEBIBYTE = 1024 * 1024;
const times = <T>(length: number, make: (index: number) => T): T[] =>
  Array.from({ length }, (_, i) => make(i));

const tool = (schema: unknown, more: object = {}): string =>
  JSON.stringify({
    name: `tool ${Math.random()}`,
    definition: {
      modelToolName: 'tool',
      client: {},
      dynamicParameters: [{ name: 'value', location: 'PARAMETER_LOCATION_BODY', schema }],
      ...more,
    },
  });

/** Expensive for RE2: leaves its fast automaton at every second character. */
export const EXPENSIVE_TEXT = times(12_000, (i) => 'aé9 '[(i * 7 + i * i) % 4]).join('');
/** Take three times the limit of processor time (untrusted-checks.ts) on a fast machine. */
export const expensivePatterns = {
  allOf: times(60, (i) => ({ pattern: `(?:[\\p{L}\\p{N}]){${840 + i}}$` })),
};
/** Every item lacks every required property. */
export const requiredTimesItems = {
  type: 'object',
  properties: { rows: { items: { required: times(4500, (i) => `n${i}`) } } },
};

function schemas(): MaliciousInput[] {
  const post = (name: string, schema: unknown, statuses = [400]): MaliciousInput => ({
    kind: 'schema',
    name,
    method: 'POST',
    path: '/api/tools',
    body: tool(schema),
    statuses,
  });
  return [
    post('$async', { $async: true, type: 'object' }),
    post('$async in a definition', { $ref: '#/$defs/a', $defs: { a: { $async: true } } }),
    post('required times items', requiredTimesItems, [201]),
    post(
      '60 KB of properties',
      { properties: Object.fromEntries(times(2300, (i) => [`p${i}`, { type: 'string' }])) },
      [201],
    ),
    post('references that double', {
      $ref: '#/$defs/d0',
      $defs: Object.fromEntries(
        times(24, (i) => [`d${i}`, { allOf: times(2, () => ({ $ref: `#/$defs/d${i + 1}` })) }]),
      ),
    }),
    post('deep nesting', JSON.parse(`${'{"not":'.repeat(500)}{}${'}'.repeat(500)}`)),
    {
      ...post('many parameters with large schemas', {}),
      body: JSON.stringify({
        name: 'many',
        definition: {
          modelToolName: 'many',
          client: {},
          dynamicParameters: times(100, (i) => ({
            name: `p${i}`,
            location: 'PARAMETER_LOCATION_BODY',
            schema: { enum: times(60, (j) => `value ${i} ${j} ${'x'.repeat(40)}`) },
          })),
        },
      }),
      statuses: [201, 400],
    },
  ];
}

function patterns(): MaliciousInput[] {
  const post = (name: string, schema: unknown, statuses: number[]): MaliciousInput => ({
    kind: 'pattern',
    name,
    method: 'POST',
    path: '/api/tools',
    body: tool(schema),
    statuses,
  });
  return [
    post(
      '40 large repetitions',
      { allOf: times(40, (i) => ({ pattern: `(?:.?){${960 + i}}` })) },
      [201, 400],
    ),
    post('nested repetitions', { pattern: '(?:(?:a{0,30}){0,30}){0,30}' }, [400]),
    post('backtracking', { pattern: '^(a+)+$' }, [201]),
    post(
      'large Unicode classes',
      { allOf: times(60, () => ({ pattern: '(?i)[\\p{L}\\p{N}\\p{S}]{400}' })) },
      [201, 400],
    ),
    {
      kind: 'pattern',
      name: 'of a SIP allowance',
      method: 'PATCH',
      path: '/api/sip',
      body: JSON.stringify({
        allowedAgents: times(50, (i) => ({
          agentId: '0190f3a0-0000-7000-8000-00000000000a',
          toUserPattern: `(?:[\\p{L}\\p{N}]){${850 + i}}$`,
        })),
      }),
      statuses: [200, 400],
    },
  ];
}

function openApi(scale: number): MaliciousInput[] {
  const upload = (kind: string, name: string, text: string): MaliciousInput => ({
    kind,
    name,
    method: 'POST',
    path: '/api/tools',
    file: { type: 'application/yaml', bytes: Buffer.from(text) },
    statuses: [201, 400],
  });
  const servers = [{ url: 'https://api.example.com' }];
  const names = times(300, (i) => `s${i}`);
  const document = (operation: object, more: object = {}): string =>
    JSON.stringify({ openapi: '3.1.0', servers, paths: { '/a': { get: operation } }, ...more });
  const sized = Math.floor((MEBIBYTE * scale) / 16) - 1000;
  return [
    upload(
      'OpenAPI',
      '300 security entries of 300 schemes',
      document(
        { security: names.map(() => Object.fromEntries(names.map((name) => [name, []]))) },
        {
          components: {
            securitySchemes: Object.fromEntries(
              names.map((name) => [name, { type: 'apiKey', in: 'header', name: 'x' }]),
            ),
          },
        },
      ).slice(0, MEBIBYTE),
    ),
    upload(
      'OpenAPI',
      'references that double',
      document(
        { parameters: [{ name: 'a', in: 'query', schema: { $ref: '#/components/schemas/s0' } }] },
        {
          components: {
            schemas: Object.fromEntries(
              times(24, (i) => [
                `s${i}`,
                { allOf: times(2, () => ({ $ref: `#/components/schemas/s${i + 1}` })) },
              ]),
            ),
          },
        },
      ),
    ),
    upload('YAML', 'a list of numbers', `openapi: 3.1.0\nx: [${'1,'.repeat(sized)}1]`),
    upload(
      'YAML',
      'many short lines',
      `openapi: 3.1.0\n${times(Math.floor(sized / 6), (i) => `k${i}: v\n`).join('')}`,
    ),
    upload('YAML', 'nested lists', '[\n'.repeat(Math.min(sized, 200_000))),
    upload(
      'YAML',
      'aliases that multiply',
      times(12, (i) => `a${i}: &a${i} [${times(9, () => (i === 0 ? 'x' : `*a${i - 1}`)).join(',')}]`).join(
        '\n',
      ),
    ),
  ];
}

function templates(agentId: string): MaliciousInput[] {
  const patch = (name: string, callTemplate: object, statuses: number[]): MaliciousInput => ({
    kind: 'template',
    name,
    method: 'PATCH',
    path: `/api/agents/${agentId}`,
    body: JSON.stringify({ callTemplate }),
    statuses,
  });
  return [
    patch('150,000 variables', { systemPrompt: '{{a}}'.repeat(150_000) }, [400]),
    patch(
      '5000 variables',
      { systemPrompt: '{{a}}'.repeat(5000), contextSchema: requiredTimesItems },
      [200, 400],
    ),
    patch('open tags', { systemPrompt: '{{{'.repeat(300_000) }, [400]),
    patch('long names', { systemPrompt: `{{${'a.'.repeat(400_000)}a}}` }, [400]),
    patch('a context schema that is async', { contextSchema: { $async: true } }, [400]),
    patch('an analysis schema that is async', { analysisSettings: { dataSchema: { $async: true } } }, [400]),
  ];
}

function json(scale: number): MaliciousInput[] {
  const call = (name: string, body: string): MaliciousInput => ({
    kind: 'JSON',
    name,
    method: 'POST',
    path: '/api/calls',
    body,
    statuses: [400, 413],
  });
  const most = MEBIBYTE - 200;
  const fill = (unit: string): string => unit.repeat(Math.floor(most / unit.length));
  const wide = (count: number): string => times(count, (i) => `"k${i}":1`).join(',');
  return [
    call('500,000 numbers', `{"initialMessages":[${fill('0,')}0]}`),
    call('11,000 empty messages', `{"initialMessages":[${'{},'.repeat(11_000)}{}]}`),
    call('11,000 unknown fields', `{${wide(11_000)}}`),
    call('11,000 entries of metadata', `{"metadata":{${wide(11_000)}}}`),
    call('11,000 tools', `{"selectedTools":[${'{},'.repeat(11_000)}{}]}`),
    call('11,000 fields in two spellings', `{"systemPrompt":"a","system_prompt":"b",${wide(11_000)}}`),
    call('one text of 1 MiB with NULs', `{"systemPrompt":"${'\\u0000'.repeat(170_000)}"}`),
    call('half surrogates', `{"metadata":{${times(11_000, (i) => `"k${i}":"\\ud800"`).join(',')}}}`),
    call('deep nesting', `{"initialState":${'['.repeat(9000)}${']'.repeat(9000)}}`),
    call('keys that repeat', `{${'"systemPrompt":"",'.repeat(5500)}"model":1}`),
    call('a long key', `{"${'k'.repeat(most - 20)}":1}`),
    call('one large message', JSON.stringify({ initialMessages: [{ role: 'x'.repeat(500_000), text: 5 }] })),
    call(
      'nulls in every tool',
      `{"selectedTools":[${fill('{"toolId":null,"a":[]},')
        .slice(0, 400_000)
        .replace(/,[^}]*$/u, '')}]}`,
    ),
    call(
      '11,000 nested maps',
      `{"initialState":{${times(5500, (i) => `"k${i}":{"a":0}`).join(',')}}, "model":1}`,
    ),
    ...(scale > 1
      ? times(20, (i) =>
          call(`prefix ${i}`, `{"selectedTools":[${'['.repeat(i)}${'0,'.repeat(9000)}0${']'.repeat(i)}]}`),
        )
      : []),
  ];
}

function batches(agentId: string, scale: number): MaliciousInput[] {
  const path = `/api/agents/${agentId}/scheduled_batches`;
  // Paused, so that no call of it is created while later inputs are measured.
  const post = (name: string, calls: string, statuses: number[]): MaliciousInput => ({
    kind: 'batch',
    name,
    method: 'POST',
    path,
    body: `{"paused":true,"calls":[${calls}]}`,
    statuses,
  });
  const bytes = 4 * MEBIBYTE * scale;
  const big = JSON.stringify({ metadata: { note: 'n'.repeat(3000) }, templateContext: { a: 'b' } });
  return [
    post('many calls', times(Math.min(10_000, Math.floor(bytes / big.length)), () => big).join(','), [201]),
    post('numbers', `${'0,'.repeat(bytes / 2 - 40)}0`, [400, 413]),
    post(
      'contexts that lack everything',
      times(3000, () => '{"templateContext":{"a":[{},{},{}]}}').join(','),
      [201, 400],
    ),
    post('one large call', `{"templateContext":{"a":"${'x'.repeat(bytes - 120)}"}}`, [400]),
    post('one call of many values', `{"templateContext":{"a":[${'0,'.repeat(200_000)}0]}}`, [400]),
  ];
}

function queries(): MaliciousInput[] {
  const get = (kind: string, name: string, path: string): MaliciousInput => ({
    kind,
    name,
    method: 'GET',
    path,
    statuses: [200, 400, 414, 431],
  });
  const long = (unit: string): string => unit.repeat(Math.floor(12_000 / unit.length));
  return [
    get('filter', 'many words', `/api/calls?search=${long('a+')}`),
    get('filter', 'quotes and stars', `/api/calls?search=${long('%22*%25')}`),
    get('filter', 'many parameters', `/api/calls?${long('a=1&')}`),
    get('filter', 'a repeated parameter', `/api/calls?${long('agentIds=x&')}`),
    get('cursor', 'a long cursor', `/api/calls?cursor=${long('A')}`),
    get('cursor', 'percent signs', `/api/calls?cursor=${long('%25')}`),
    get('cursor', 'dots', `/api/calls?cursor=${long('.')}`),
  ];
}

/** All malicious requests that an API key can send to the control-plane. `scale` 1 is the short form, 8 the long one. */
export function maliciousRequests(agentId: string, scale: number): MaliciousInput[] {
  return [
    ...schemas(),
    ...patterns(),
    ...openApi(scale),
    ...templates(agentId),
    ...json(scale),
    ...batches(agentId, scale),
    ...queries(),
  ];
}

export interface MaliciousDocument {
  kind: string;
  name: string;
  type: string;
  body: string | Buffer;
}

/** Pages and files of a site that a crawl loads. */
export function maliciousDocuments(scale: number): MaliciousDocument[] {
  const size = 40_000 * scale;
  return [
    { kind: 'HTML', name: 'open elements', type: 'text/html', body: '<div>'.repeat(size) },
    {
      kind: 'HTML',
      name: 'attributes',
      type: 'text/html',
      body: `<a ${times(size, (i) => `a${i}=1`).join(' ')}>`,
    },
    { kind: 'PDF', name: 'a compressed bomb', type: 'application/pdf', body: makePdfBomb() },
    {
      kind: 'DOCX',
      name: 'no archive',
      type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      body: 'PK'.repeat(size),
    },
    { kind: 'CSV', name: 'quotes', type: 'text/csv', body: '"",'.repeat(size) },
    { kind: 'JSON', name: 'nested', type: 'application/json', body: '['.repeat(size) },
  ];
}

/** Rules that match slowly: 64 kB, and at a scale of 8 as much as crawls read. */
export function maliciousRobots(scale: number): string {
  const rule = `Disallow: /${'*a'.repeat(40)}$\n`;
  return `User-agent: *\n${rule.repeat(Math.floor((scale * 64_000) / rule.length) - 1)}`;
}
