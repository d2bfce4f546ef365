import { described, marked, Pattern, Secret } from '@calls/foundation/schema/annotations';
import { TEMPLATED_MARK } from '@calls/foundation/schema/keywords';
import { Closed, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { Duration, durationToMs } from '../duration.ts';
import { toolParameters } from './tool-parameters.ts';
import { ToolRequirements } from './tool-requirements.ts';

/** Allowed names of tools for models. */
export const MODEL_TOOL_NAME_PATTERN = '^[a-zA-Z0-9_-]{1,64}$';

export const ModelToolName = Pattern(
  MODEL_TOOL_NAME_PATTERN,
  'must be 1 to 64 characters of a-z, A-Z, 0-9, "_" and "-"',
);

export const AgentReaction = Type.Enum(
  [
    'AGENT_REACTION_UNSPECIFIED',
    'AGENT_REACTION_SPEAKS',
    'AGENT_REACTION_LISTENS',
    'AGENT_REACTION_SPEAKS_ONCE',
  ],
  {
    description:
      'What the agent does after the result: speak (default), listen, or speak unless it has just spoken.',
  },
);

export const OnInterruption = Type.Enum(
  ['INTERRUPTION_UNSPECIFIED', 'INTERRUPTION_CONTINUE', 'INTERRUPTION_CANCEL', 'INTERRUPTION_UNDO'],
  {
    description:
      'What happens to a running tool call if the user interrupts the response: it continues (default), is aborted (`http` and `mcp`), or is undone by `undoTool`.',
  },
);

export const DEFAULT_TOOL_TIMEOUT_MS = 2500;
export const MAX_TOOL_TIMEOUT_MS = 40_000;

/** Longest time that a tool may take. */
export function toolTimeoutMs({ timeout }: Pick<BaseToolDefinition, 'timeout'>): number {
  return timeout === undefined
    ? DEFAULT_TOOL_TIMEOUT_MS
    : Math.min(durationToMs(timeout), MAX_TOOL_TIMEOUT_MS);
}

const behaviour = {
  timeout: Type.Optional(
    described(
      Duration,
      `Longest time that the tool may take; more than 0 s, at most ${MAX_TOOL_TIMEOUT_MS / 1000} s. Defaults to ${DEFAULT_TOOL_TIMEOUT_MS / 1000} s.`,
    ),
  ),
  precomputable: Type.Optional(
    Type.Boolean({
      description:
        'Whether the tool may run before the user has finished, because it changes nothing. Defaults to false.',
    }),
  ),
  defaultReaction: Type.Optional(AgentReaction),
  onInterruption: Type.Optional(OnInterruption),
  undoTool: Type.Optional(
    described(
      ModelToolName,
      'Model tool name of the tool that undoes a call of this one. Its parameters get the values of the same names from the result and arguments of that call.',
    ),
  ),
  staticResponse: described(
    Type.Optional(
      Closed(
        {
          responseText: Type.Optional(
            Type.String({ maxLength: 65_536, description: 'Text that the model sees as the result.' }),
          ),
        },
        'StaticToolResponse',
        'A fixed result of a tool.',
      ),
    ),
    'Result that the model sees at once, without waiting for the tool.',
  ),
};
const Description = marked(
  Type.String({ maxLength: 16_384, description: 'What the tool does, for the model.' }),
  TEMPLATED_MARK,
);
/** HTTP methods of tools. */
export const TOOL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const httpDetails = {
  baseUrlPattern: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'URL, with path parameters in braces: `https://example.com/bookings/{number}`.',
    }),
  ),
  httpMethod: Type.Optional(
    Type.String({ minLength: 1, maxLength: 16, description: 'HTTP method, for example `POST`.' }),
  ),
};

const mcpUrl = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'URL of the MCP server, with streamable HTTP transport: `https://example.com/mcp`.',
});
const authNames = {
  authHeaders: Type.Optional(Type.Array(Type.String(), { description: 'Headers that carry tokens.' })),
  authQueryParams: Type.Optional(
    Type.Array(Type.String(), { description: 'Query parameters that carry tokens.' }),
  ),
};

/** Fields of a definition of which exactly one is set: what runs the tool. */
export const TOOL_KINDS = ['http', 'client', 'dataConnection', 'mcp'] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/** The kind of a tool; undefined for built-in tools. */
export function toolKind(definition: Partial<Record<ToolKind, unknown>>): ToolKind | undefined {
  return TOOL_KINDS.find((kind) => definition[kind] !== undefined);
}

export const BaseToolDefinition = Closed(
  {
    modelToolName: Type.Optional(
      described(ModelToolName, 'Name that the model sees; defaults to the name of the tool.'),
    ),
    description: Type.Optional(Description),
    ...toolParameters,
    requirements: described(Type.Optional(ToolRequirements), 'What a call must give to use the tool.'),
    ...behaviour,
    http: described(
      Type.Optional(Closed(httpDetails, 'BaseHttpToolDetails', 'The HTTP request of a tool.')),
      'The service makes an HTTP request.',
    ),
    client: described(
      Type.Optional(Closed({}, 'BaseClientToolDetails', 'A tool that the client runs.')),
      'The client of the call runs the tool.',
    ),
    dataConnection: described(
      Type.Optional(Closed({}, 'BaseDataConnectionToolDetails', 'A tool that the data connection runs.')),
      'The data connection of the call runs the tool.',
    ),
    mcp: described(
      Type.Optional(Closed({ url: mcpUrl }, 'BaseMcpToolDetails', 'An MCP server.')),
      'An MCP server runs the tool. The definition covers all tools of the server; a call gets each of them.',
    ),
  },
  'BaseToolDefinition',
  `A tool. Exactly one of ${TOOL_KINDS.map((kind) => `\`${kind}\``).join(', ')} is set.`,
);
export type BaseToolDefinition = Static<typeof BaseToolDefinition>;

export const CallToolDefinition = Closed(
  {
    description: Type.Optional(Description),
    ...toolParameters,
    ...behaviour,
    http: described(
      Type.Optional(
        Closed(
          {
            ...httpDetails,
            ...authNames,
            callTokenScopes: Type.Optional(
              Type.Array(Type.String(), {
                description: 'Scopes of the call token; absent when none is sent.',
              }),
            ),
          },
          'HttpCallToolDetails',
          'The HTTP request of a tool of a call.',
        ),
      ),
      'The service makes an HTTP request.',
    ),
    client: described(
      Type.Optional(Closed({}, 'ClientCallToolDetails', 'A tool that the client runs.')),
      'The client of the call runs the tool.',
    ),
    dataConnection: described(
      Type.Optional(Closed({}, 'DataConnectionCallToolDetails', 'A tool that the data connection runs.')),
      'The data connection of the call runs the tool.',
    ),
    mcp: described(
      Type.Optional(
        Closed(
          {
            url: mcpUrl,
            toolName: Type.Optional(
              Type.String({ maxLength: 256, description: "The server's name for the tool." }),
            ),
            ...authNames,
          },
          'McpCallToolDetails',
          'A tool of an MCP server.',
        ),
      ),
      'An MCP server runs the tool.',
    ),
  },
  'CallToolDefinition',
  'A tool as a call uses it: overrides are applied, requirements are met, and no secret is shown.',
);
export type CallToolDefinition = Static<typeof CallToolDefinition>;

export const AuthTokens = Secret(
  marked(
    Type.Record(Type.String(), Type.String({ maxLength: 8192 }), {
      maxProperties: 16,
      description: 'Tokens by the names in the security requirements of the tool.',
    }),
    TEMPLATED_MARK,
  ),
);

/** The fields that identify a selected tool in a changed list. */
const TOOL_IDENTITY = [
  'toolId',
  'toolName',
  'nameOverride',
  'temporaryTool.modelToolName',
  'temporaryTool.http.baseUrlPattern',
  'temporaryTool.mcp.url',
  'temporaryTool.requirements.httpSecurityOptions',
];

export const SelectedTool = Closed(
  {
    toolId: Type.Optional(described(Uuid, 'Id of a stored tool.')),
    toolName: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Name of a stored tool. It must identify one tool.',
      }),
    ),
    temporaryTool: described(Type.Optional(BaseToolDefinition), 'Definition of a tool for this call only.'),
    nameOverride: Type.Optional(
      described(
        ModelToolName,
        'Name that the model sees, in place of that of the tool. It must be unique in the call.',
      ),
    ),
    allowedTools: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        maxItems: 64,
        description:
          'For `mcp` tools: the tools of the server that the model may call, by the names that the server uses. If absent, it may call all of them.',
      }),
    ),
    descriptionOverride: Type.Optional(
      described(Description, 'Description that the model sees, in place of that of the tool.'),
    ),
    authTokens: Secret(Type.Optional(AuthTokens), TOOL_IDENTITY),
    parameterOverrides: Type.Optional(
      marked(
        Type.Record(Type.String(), Type.Unknown(), {
          maxProperties: 100,
          description: 'Fixed values of parameters by name. The model no longer sees these parameters.',
        }),
        TEMPLATED_MARK,
      ),
    ),
    transitionId: Type.Optional(
      Type.String({ maxLength: 128, description: 'For internal use: the stage transition of the tool.' }),
    ),
  },
  'SelectedTool',
  'A tool of an agent. Exactly one of `toolId`, `toolName` and `temporaryTool` is set.',
);
export type SelectedTool = Static<typeof SelectedTool>;

export const ToolOverrides = Closed(
  {
    remove: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: 100,
        description: 'Model tool names of tools to leave out.',
      }),
    ),
    removeAll: Type.Optional(
      Type.Boolean({ description: 'Whether to leave out all tools of the agent. Defaults to false.' }),
    ),
    add: Type.Optional(Type.Array(SelectedTool, { maxItems: 100, description: 'Tools to add.' })),
  },
  'ToolOverrides',
  'Changes to the tools of an agent for one call.',
);
export type ToolOverrides = Static<typeof ToolOverrides>;
