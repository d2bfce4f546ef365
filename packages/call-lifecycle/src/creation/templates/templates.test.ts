import { describe, expect, it } from '@jest/globals';
import type { CallTemplate } from '@calls/api-contract/rest/call-template';
import { compileUntrustedSchema, untrustedSchemaIssue } from '@calls/foundation/schema/untrusted-schema';
import { inProcessChecksOf } from '@calls/testkit/in-process-checks';
import { IS_LONG_FORM } from '@calls/testkit/long-form';
import fc from 'fast-check';
import { declaresVariable, deriveContextSchema } from './context-schema.ts';
import { contextIssues as issuesOfContexts, renderTemplate } from './render-template.ts';
import { templateIssues as issuesOfTemplate } from './template-issues.ts';
import { mapTemplatedTexts } from './template-text.ts';

const paths = (issues: readonly { path: string }[]): string[] => issues.map(({ path }) => path).sort();

const checks = inProcessChecksOf('account');
const issuesIn = (template: unknown) => issuesOfTemplate(template, checks);
const contextIssues = async (template: CallTemplate, context: Record<string, unknown>) => {
  const [issues = []] = await issuesOfContexts(template, [context], checks);
  return issues;
};

const EVERYWHERE: CallTemplate = {
  name: '{{x}}',
  systemPrompt: '{{x}}',
  languageHint: '{{x}}',
  keyTerms: ['{{x}}'],
  timeExceededMessage: '{{x}}',
  voice: '{{x}}',
  model: '{{x}}',
  firstSpeakerSettings: { agent: { text: '{{x}}' } },
  inactivityMessages: [{ duration: '1s', message: '{{x}}' }],
  contextSchema: { properties: { x: { description: '{{x}}' } } },
  sharedSecrets: ['{{x}} sixteen characters'],
  dataConnection: { websocketUrl: 'wss://a.test', headers: { a: '{{x}}' } },
  selectedTools: [
    {
      temporaryTool: {
        modelToolName: 'tool',
        description: '{{x}}',
        staticParameters: [
          { name: '{{x}}', value: '{{x}}' },
          { name: 'b', value: { deep: ['{{x}}', 1] } },
        ],
        dynamicParameters: [{ name: 'c', schema: { description: '{{x}}' } }],
        http: { baseUrlPattern: 'https://a.test/{{x}}' },
      },
      nameOverride: 'x',
      descriptionOverride: '{{x}}',
      authTokens: { '{{x}}': '{{x}}' },
      parameterOverrides: { d: '{{x}}', e: { '{{x}}': ['{{x}}'] } },
    },
  ],
};

describe('templates', () => {
  it('accept any context without a check in another process if they have neither variables nor a schema', async () => {
    const unused = { ...checks, valueIssues: () => Promise.reject(new Error('was asked')) };
    const contexts = [{}, { name: 'Ann' }];
    expect(await issuesOfContexts({ systemPrompt: 'Be kind.' }, contexts, unused)).toEqual([[], []]);
    const greeting = { systemPrompt: 'Greet {{name}}.' };
    await expect(issuesOfContexts(greeting, contexts, unused)).rejects.toThrow('was asked');
    expect(await issuesOfContexts(greeting, contexts, checks)).toEqual([[expect.anything()], []]);
  });

  it('have variables in exactly the templated fields', () => {
    const seen: string[] = [];
    const mapped = mapTemplatedTexts(EVERYWHERE, (text, path) => {
      expect(text).toBe('{{x}}');
      seen.push(path);
      return 'filled';
    });
    const tool = 'selectedTools.0';
    expect(seen.sort()).toEqual(
      [
        'systemPrompt',
        'languageHint',
        'keyTerms.0',
        'timeExceededMessage',
        'inactivityMessages.0.message',
        `${tool}.descriptionOverride`,
        `${tool}.temporaryTool.description`,
        `${tool}.temporaryTool.staticParameters.0.value`,
        `${tool}.temporaryTool.staticParameters.1.value.deep.0`,
        `${tool}.authTokens.{{x}}`,
        `${tool}.parameterOverrides.d`,
        `${tool}.parameterOverrides.e.{{x}}.0`,
      ].sort(),
    );
    expect(mapped).toMatchObject({ systemPrompt: 'filled', voice: '{{x}}', name: '{{x}}' });
    expect(mapped.selectedTools![0]!.parameterOverrides).toEqual({ d: 'filled', e: { '{{x}}': ['filled'] } });
  });

  it('report every issue with its path', async () => {
    const issues = await issuesIn({
      systemPrompt: '{{#a}}',
      languageHint: 'not a language',
      joinTimeout: '-1s',
      inactivityMessages: [{ duration: '1s', message: '{{ok}}' }, { message: '{{>b}}' }],
      contextSchema: { properties: { ok: { pattern: '(?=a)' } } },
      voice: 'a',
      externalVoice: { provider1: { voiceId: 'v1' } },
      selectedTools: [{ authTokens: { key: '{{' } }, 5, null],
    });
    expect(paths(issues)).toEqual([
      'contextSchema',
      'externalVoice',
      'inactivityMessages.1.message',
      'joinTimeout',
      'languageHint',
      'selectedTools.0.authTokens.key',
      'systemPrompt',
    ]);
    for (const anything of [null, 5, 'x', [], { systemPrompt: 5, contextSchema: [] }]) {
      expect(await issuesIn(anything)).toEqual([]);
    }
  });

  it('report variables that the context schema does not declare', async () => {
    const contextSchema = { type: 'object', properties: { user: { properties: { name: {} } }, any: {} } };
    const used = { systemPrompt: '{{user.name}} {{any.thing}}', timeExceededMessage: '{{user.nam}} {{usr}}' };
    const issues = await issuesIn({ ...used, contextSchema });
    expect(issues.map(({ path, message }) => [path, /\{\{.*\}\}/u.exec(message)![0]])).toEqual([
      ['timeExceededMessage', '{{user.nam}}'],
      ['timeExceededMessage', '{{usr}}'],
    ]);
    expect(declaresVariable({ $ref: '#/$defs/a' }, ['x'])).toBe(true);
    expect(declaresVariable({ properties: {}, additionalProperties: { type: 'string' } }, ['x'])).toBe(true);
    expect(declaresVariable({ additionalProperties: false }, ['x'])).toBe(false);
    expect(declaresVariable({}, ['x'])).toBe(false);
  });

  it('are rejected when they use more or deeper variables than a derived schema can declare', async () => {
    const many = Array.from({ length: 301 }, (_, i) => `{{v${i}}}`).join('');
    expect(paths(await issuesIn({ systemPrompt: many }))).toEqual(['']);
    const most = Array.from({ length: 300 }, (_, i) => `{{v${i}}}`);
    expect(await issuesIn({ systemPrompt: most.join('') })).toEqual([]);
    const context = Object.fromEntries(most.map((_, i) => [`v${i}`, i]));
    expect(await contextIssues({ systemPrompt: most.join('') }, context)).toEqual([]);
    const deep = Array.from({ length: 40 }, () => 'a').join('.');
    expect(paths(await issuesIn({ systemPrompt: `{{${deep}}}` }))).toEqual(['']);
  });

  it('are rejected when they use variables more than 5000 times', async () => {
    expect(await issuesIn({ systemPrompt: '{{x}}'.repeat(5000) })).toEqual([]);
    expect(await issuesIn({ systemPrompt: '{{x}}'.repeat(5001) })).toEqual([
      { path: '', message: expect.stringContaining('5000 times') },
    ]);
  });

  it('report the variables that a context lacks', async () => {
    const template = { systemPrompt: '{{user.name}} {{city}}', timeExceededMessage: '{{user.age}}' };
    expect(paths(await contextIssues(template, {}))).toEqual([
      'templateContext.city',
      'templateContext.user',
    ]);
    expect(paths(await contextIssues(template, { user: { age: [] }, city: null }))).toEqual([
      'templateContext.user.name',
    ]);
    expect(paths(await contextIssues(template, { user: null, city: { at: [] } }))).toEqual([
      'templateContext.user',
    ]);
    const filled = renderTemplate(template, { user: { name: [1, 'a'], age: { years: 7 } }, city: null });
    expect(filled).toMatchObject({
      template: { systemPrompt: '[1,"a"] ', timeExceededMessage: '{"years":7}' },
    });
    expect(await contextIssues(template, { user: { name: 'A', age: 7 }, city: 'B', more: {} })).toEqual([]);
    const optional = { ...template, contextSchema: { properties: { user: {}, city: {} } } };
    expect(await contextIssues(optional, {})).toEqual([]);
    expect(renderTemplate(optional, {})).toMatchObject({ template: { systemPrompt: ' ' } });
  });

  it('are rejected when their rendered texts together exceed the length limit', () => {
    const message = '{{x}}'.repeat(100);
    const inactivityMessages = Array.from({ length: 20 }, () => ({ duration: '1s', message }));
    const rendered = renderTemplate({ inactivityMessages }, { x: 'y'.repeat(1000) });
    expect(rendered).toEqual({
      issues: [{ path: 'inactivityMessages.10.message', message: expect.stringContaining('too long') }],
    });
  });
});

describe('deriveContextSchema', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'constructor');
  const variables = fc.array(fc.array(key, { minLength: 1, maxLength: 3 }), { maxLength: 5 });
  const { context } = fc.letrec<{ context: unknown; leaf: unknown }>((tie) => ({
    leaf: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant([])),
    context: fc.dictionary(key, fc.oneof({ depthSize: 'small' }, tie('leaf'), tie('context'))),
  }));

  it('accepts exactly the contexts that provide every variable', () => {
    fc.assert(
      fc.property(variables, context, (used, given) => {
        const schema = deriveContextSchema(used);
        expect(untrustedSchemaIssue(schema)).toBeNull();
        const accepted = compileUntrustedSchema('context', schema).issues(given).length === 0;
        expect(accepted).toBe(used.every((path) => isFilled(used, path, given)));
      }),
      { numRuns: IS_LONG_FORM ? 500 : 100 },
    );
  });

  it('declares every variable that it is derived from', () => {
    fc.assert(
      fc.property(variables, (used) => {
        const schema = deriveContextSchema(used);
        expect(used.every((path) => declaresVariable(schema, path))).toBe(true);
      }),
    );
  });

  function isFilled(used: string[][], path: string[], given: unknown): boolean {
    let value = given;
    for (const part of path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return false;
      value = (value as Record<string, unknown>)[part];
    }
    const isPrefix = used.some((other) => other.length > path.length && path.every((p, i) => other[i] === p));
    if (isPrefix) return typeof value === 'object' && value !== null && !Array.isArray(value);
    return true;
  }
});
