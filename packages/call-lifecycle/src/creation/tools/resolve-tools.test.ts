import { describe, expect, it } from '@jest/globals';
import { BUILT_IN_TOOL_NAMES } from '@calls/api-contract/built-in-tool-names';
import type { BaseToolDefinition, SelectedTool } from '@calls/api-contract/rest/tool';
import { newId } from '@calls/foundation/ids';
import { inProcessChecksOf } from '@calls/testkit/in-process-checks';
import type { ToolRow } from '@calls/store/tables/tools';
import { BUILT_IN_TOOLS } from './built-in-tools.ts';
import { resolveAmong } from './resolve-tools.ts';
import type { ResolvedTool } from './resolved-tool.ts';

const BODY = 'PARAMETER_LOCATION_BODY';

function row(name: string, definition: BaseToolDefinition, accountId: string | null = 'mine'): ToolRow {
  return {
    tool_id: newId(),
    account_id: accountId,
    name,
    name_key: name.toLowerCase(),
    definition,
    created_at: new Date(0),
  };
}

const builtIns = BUILT_IN_TOOLS.map((tool) => ({
  ...row(tool.name, tool.definition, null),
  tool_id: tool.toolId,
}));
const weather = row('weather', {
  modelToolName: 'weather',
  description: 'Tells the weather.',
  http: { baseUrlPattern: 'https://weather.example.com/{city}', httpMethod: 'GET' },
  dynamicParameters: [
    { name: 'city', location: 'PARAMETER_LOCATION_PATH', schema: { type: 'string' }, required: true },
    { name: 'days', location: 'PARAMETER_LOCATION_QUERY', schema: { type: 'integer' } },
  ],
  staticParameters: [{ name: 'unit', location: 'PARAMETER_LOCATION_QUERY', value: 'C' }],
  automaticParameters: [
    { name: 'call', location: 'PARAMETER_LOCATION_HEADER', knownValue: 'KNOWN_PARAM_CALL_ID' },
  ],
});
const temporary = { modelToolName: 'light', client: {} };

function resolve(
  selectedTools: SelectedTool[],
  known: ToolRow[] = [weather, ...builtIns],
  isTemplate = false,
) {
  return resolveAmong(known, {
    isTemplate,
    accountId: 'mine',
    selectedTools,
    path: 'selectedTools',
    urlRule: () => null,
    checks: inProcessChecksOf('mine'),
    mcpTools: null,
    hasDataConnection: true,
  });
}

async function resolved(selected: SelectedTool, known?: ToolRow[]): Promise<ResolvedTool> {
  const { tools, issues } = await resolve([selected], known);
  expect(issues).toEqual([]);
  return tools![0]!;
}

async function issuesOf(selected: SelectedTool, known?: ToolRow[]): Promise<[string, string][]> {
  const { issues } = await resolve([selected], known);
  return issues.map(({ path, message }) => [path, message]);
}

function secured(options: unknown[]): ToolRow {
  const requirements = { httpSecurityOptions: { options } } as BaseToolDefinition['requirements'];
  return row('secured', {
    ...weather.definition,
    modelToolName: 'secured',
    ...(requirements && { requirements }),
  });
}
const apiKey = { requirements: { key: { headerApiKey: { name: 'X-Key' } } } };
const bearer = { requirements: { bearer: { httpAuth: { scheme: 'Bearer' } } } };
const callToken = { svcCallTokenRequirement: { scopes: ['read'] } };

describe('resolveTools', () => {
  it('finds a tool by ID or by name, or uses the temporary tool of the selection', async () => {
    expect(await resolved({ toolId: weather.tool_id.toUpperCase() })).toMatchObject({
      toolId: weather.tool_id,
      name: 'weather',
    });
    expect((await resolved({ toolName: 'weather' })).toolId).toBe(weather.tool_id);
    expect(await resolved({ temporaryTool: temporary })).toMatchObject({ toolId: null, name: 'light' });
  });

  it('fills in all defaults, and omits the model tool name from the definition', async () => {
    expect((await resolved({ temporaryTool: temporary })).definition).toEqual({
      dynamicParameters: [],
      staticParameters: [],
      automaticParameters: [],
      timeout: '2.5s',
      precomputable: false,
      defaultReaction: 'AGENT_REACTION_SPEAKS',
      client: {},
    });
  });

  it('requires the undoTool of a selected tool to be selected, too', async () => {
    const book: SelectedTool = {
      temporaryTool: {
        modelToolName: 'book',
        client: {},
        onInterruption: 'INTERRUPTION_UNDO',
        undoTool: 'release',
      },
    };
    const release: SelectedTool = { temporaryTool: { modelToolName: 'release', client: {} } };
    const { tools } = await resolve([book, release]);
    expect(tools?.[0]?.definition).toMatchObject({
      onInterruption: 'INTERRUPTION_UNDO',
      undoTool: 'release',
    });
    const path = 'selectedTools.0.temporaryTool.undoTool';
    expect(await issuesOf(book)).toEqual([
      [path, 'needs the tool release, which undoes its calls; select it, too'],
    ]);
    expect(await issuesOf({ ...book, nameOverride: 'release' })).toEqual([
      [path, 'must not be the tool itself'],
    ]);
    const stored = row('book', book.temporaryTool ?? {});
    expect((await issuesOf({ toolName: 'book' }, [stored]))[0]?.[0]).toBe('selectedTools.0.toolName');
    const server: SelectedTool = {
      temporaryTool: { modelToolName: 'shop', mcp: { url: 'https://shop.example.com/mcp' } },
    };
    const undoneByServer = { ...book.temporaryTool, undoTool: 'shop_release' };
    expect((await resolve([{ temporaryTool: undoneByServer }, server])).issues).toEqual([]);
  });

  it.each([
    [{}, 'selectedTools.0'],
    [{ toolName: 'weather', temporaryTool: temporary }, 'selectedTools.0'],
    [{ toolId: newId() }, 'selectedTools.0.toolId'],
    [{ toolName: 'Weather' }, 'selectedTools.0.toolName'],
    [{ temporaryTool: { client: {} } }, 'selectedTools.0.temporaryTool.modelToolName'],
    [{ temporaryTool: { modelToolName: 'x' } }, 'selectedTools.0.temporaryTool'],
    [{ temporaryTool: { ...temporary, timeout: '41s' } }, 'selectedTools.0.temporaryTool.timeout'],
    [{ toolName: 'weather', parameterOverrides: { town: 'x' } }, 'selectedTools.0.parameterOverrides.town'],
    [{ toolName: 'queryCorpus' }, 'selectedTools.0.parameterOverrides.corpus_id'],
    [{ toolName: 'weather', authTokens: { key: 'x' } }, 'selectedTools.0.authTokens.key'],
  ])('reports the issue of %j', async (selected: SelectedTool, path: string) => {
    expect((await issuesOf(selected)).map(([at]) => at)).toEqual([path]);
  });

  it('prefers the account’s own tool to a built-in tool of the same name, but not by ID', async () => {
    const own = row('hangUp', { ...temporary, modelToolName: 'hangUp' });
    const known = [...builtIns, own];
    expect((await resolved({ toolName: 'hangUp' }, known)).toolId).toBe(own.tool_id);
    const builtIn = builtIns.find(({ name }) => name === 'hangUp')!;
    const byId = await resolved({ toolId: builtIn.tool_id }, known);
    expect(byId.definition).toMatchObject({ staticParameters: [{ name: 'strict', value: true }] });
    expect(byId.definition.client).toBeUndefined();
  });

  it('overrides name and description', async () => {
    const tool = await resolved({
      toolName: 'weather',
      nameOverride: 'sky',
      descriptionOverride: 'Looks at the sky.',
    });
    expect(tool).toMatchObject({ name: 'sky', definition: { description: 'Looks at the sky.' } });
    expect((await resolved({ temporaryTool: { client: {} }, nameOverride: 'lamp' })).name).toBe('lamp');
  });

  it('makes overridden parameters of any kind static and hides them from the model', async () => {
    const parameterOverrides = { city: 'Oslo', unit: { deep: ['K', 5] }, call: null };
    const { definition } = await resolved({ toolName: 'weather', parameterOverrides });
    expect(definition.dynamicParameters!.map(({ name }) => name)).toEqual(['days']);
    expect(definition.automaticParameters).toEqual([]);
    expect(definition.staticParameters).toEqual([
      { name: 'city', location: 'PARAMETER_LOCATION_PATH', value: 'Oslo' },
      { name: 'unit', location: 'PARAMETER_LOCATION_QUERY', value: { deep: ['K', 5] } },
      { name: 'call', location: 'PARAMETER_LOCATION_HEADER', value: null },
    ]);
  });

  it('requires model names to be unique', async () => {
    const { issues } = await resolve([
      { toolName: 'weather' },
      { temporaryTool: { ...temporary, modelToolName: 'weather' } },
      { toolName: 'weather', nameOverride: 'light' },
      { temporaryTool: temporary },
      { toolId: weather.tool_id },
    ]);
    expect(issues.map(({ path }) => path)).toEqual([
      'selectedTools.1.temporaryTool.modelToolName',
      'selectedTools.3.temporaryTool.modelToolName',
      'selectedTools.4.toolId',
    ]);
  });

  it('reports the issues of all tools', async () => {
    const { issues } = await resolve([{ toolName: 'a' }, { toolName: 'weather' }, { toolName: 'b' }]);
    expect(issues.map(({ path }) => path)).toEqual(['selectedTools.0.toolName', 'selectedTools.2.toolName']);
  });

  it('uses the first security option that the tokens satisfy, and puts no token into the definition', async () => {
    const known = [secured([bearer, apiKey, { requirements: { q: { queryApiKey: { name: 'key' } } } }])];
    const byBearer = await resolved({ toolName: 'secured', authTokens: { key: 'k1', bearer: 'b1' } }, known);
    expect(byBearer.auth).toEqual({
      headers: { Authorization: 'Bearer b1' },
      queryParams: {},
      callTokenScopes: null,
    });
    expect(byBearer.definition.http).toMatchObject({ authHeaders: ['Authorization'], authQueryParams: [] });
    expect(JSON.stringify(byBearer.definition)).not.toMatch(/b1|k1/u);
    const byKey = await resolved({ toolName: 'secured', authTokens: { key: 'k1', q: 'q1' } }, known);
    expect(byKey.auth.headers).toEqual({ 'X-Key': 'k1' });
    const byQuery = await resolved({ toolName: 'secured', authTokens: { q: 'q1' } }, known);
    expect(byQuery.auth.queryParams).toEqual({ key: 'q1' });
    expect(byQuery.definition.http).toMatchObject({ authQueryParams: ['key'] });
  });

  it('satisfies a call token requirement without a token, but requires the other tokens of the option', async () => {
    const alone = await resolved({ toolName: 'secured' }, [secured([bearer, callToken])]);
    expect(alone.auth.callTokenScopes).toEqual(['read']);
    expect(alone.definition.http).toMatchObject({ callTokenScopes: ['read'] });
    const both = [secured([{ ...callToken, ...apiKey }])];
    expect((await issuesOf({ toolName: 'secured' }, both))[0]![1]).toContain('key');
    expect((await resolved({ toolName: 'secured', authTokens: { key: 'k' } }, both)).auth).toEqual({
      headers: { 'X-Key': 'k' },
      queryParams: {},
      callTokenScopes: ['read'],
    });
  });

  it('uses an option without requirements only when the tokens satisfy no other option', async () => {
    const known = [secured([{}, apiKey])];
    expect((await resolved({ toolName: 'secured' }, known)).auth.headers).toEqual({});
    expect((await resolved({ toolName: 'secured', authTokens: { key: 'k' } }, known)).auth.headers).toEqual({
      'X-Key': 'k',
    });
  });

  it('reports which tokens would satisfy the security options', async () => {
    const known = [secured([{ requirements: { ...bearer.requirements, ...apiKey.requirements } }, apiKey])];
    expect(await issuesOf({ toolName: 'secured' }, known)).toEqual([
      ['selectedTools.0.authTokens', "must satisfy the tool's security: bearer and key, or key"],
    ]);
    expect((await issuesOf({ toolName: 'secured', authTokens: { key: 'a\nb' } }, known))[0]![0]).toBe(
      'selectedTools.0.authTokens.key',
    );
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['hangUp', { strict: 'yes' }, ['strict']],
    ['hangUp', { strict: false, reason: 'busy' }, []],
    ['queryCorpus', { corpus_id: 'handbook', max_results: 50 }, ['corpus_id', 'max_results']],
    ['queryCorpus', { corpus_id: newId(), max_results: 1, query: 'x', every_turn: true }, []],
    ['queryCorpus', { corpus_id: newId(), every_turn: 'yes' }, ['every_turn']],
    ['playDtmfSounds', { digits: 'hello' }, ['digits']],
    ['playDtmfSounds', { digits: 'w1,,2W#', silence_ms: 500 }, []],
    ['playDtmfSounds', { digits: 'ww', silence_ms: 9000 }, ['digits', 'silence_ms']],
    ['waitForPrompt', { options: ['billing'] }, []],
    ['leaveVoicemail', { message: {} }, ['message']],
    ['warmTransfer', { target: '+4930777', ring_seconds: 60, acceptance: 'speech', agent_name: 'Max' }, []],
    ['warmTransfer', { ring_seconds: 1, acceptance: 'never' }, ['target', 'ring_seconds', 'acceptance']],
    ['warmTransfer', { target: '+1', hold_music: 'yes', ringSeconds: 30 }, ['ringSeconds', 'hold_music']],
    ['warmTransfer', {}, ['target']],
    ['warmTransfer', { allowed_targets: ['+4930*', 'sip:*@example.com'], provider: 'telephony1' }, []],
    ['warmTransfer', { allowed_targets: ['+*30*'], provider: 'telephony4' }, ['allowed_targets', 'provider']],
    ['warmTransfer', { allowed_targets: [] }, ['allowed_targets']],
  ])(
    'validates the parameter overrides of the built-in tool %s: %j',
    async (toolName, parameterOverrides, names) => {
      const issues = await issuesOf({ toolName, parameterOverrides });
      expect(issues.map(([path]) => path)).toEqual(
        names.map((name) => `selectedTools.0.parameterOverrides.${name}`),
      );
      // Overrides of other tools are not validated.
      const client = { client: {}, dynamicParameters: [{ name: 'x', schema: { type: 'string' } }] };
      expect(
        await issuesOf({ toolName: 'own', parameterOverrides: { x: 5 } }, [
          row('own', { modelToolName: 'own', ...client }),
        ]),
      ).toEqual([]);
    },
  );

  it('accepts variables as parameter overrides in templates only', async () => {
    const parameterOverrides = { corpus_id: '{{corpus}}', max_results: 50 };
    const selected = [{ toolName: 'queryCorpus', parameterOverrides }];
    expect((await resolve(selected, undefined, true)).issues.map(({ path }) => path)).toEqual([
      'selectedTools.0.parameterOverrides.max_results',
    ]);
    expect((await resolve(selected)).issues).toHaveLength(2);
  });

  it('resolves every built-in tool', async () => {
    const { tools, issues } = await resolve(
      builtIns.map(({ tool_id: toolId, name }) => ({
        toolId,
        ...(name === 'queryCorpus' && { parameterOverrides: { corpus_id: newId() } }),
        ...(name === 'warmTransfer' && { parameterOverrides: { target: '+4930777' } }),
      })),
    );
    expect(issues).toEqual([]);
    expect(tools!.map(({ name }) => name).sort()).toEqual([...BUILT_IN_TOOL_NAMES].sort());
    // Workers of the previous release reject unknown settings.
    const settings = tools!.find(({ name }) => name === 'warmTransfer')?.definition.staticParameters ?? [];
    expect(settings.map(({ value }) => value)).not.toContain(null);
    for (const { definition } of tools!) {
      expect([definition.http, definition.client, definition.dataConnection]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      for (const { location } of definition.dynamicParameters!) expect(location).toBe(BODY);
    }
  });
});
