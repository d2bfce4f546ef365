import { Type, type Static } from 'typebox';
import { Duration } from '../duration.ts';
import { Pattern } from './annotations.ts';
import { Closed, JsonObject, Uuid } from './common.ts';
import { Secret } from './resource.ts';

/** What models may be given as a tool's name. */
export const MODEL_TOOL_NAME_PATTERN = '^[a-zA-Z0-9_-]{1,64}$';

export const ModelToolName = Pattern(
  MODEL_TOOL_NAME_PATTERN,
  'must be 1 to 64 characters of a-z, A-Z, 0-9, "_" and "-"',
);

const ParameterName = Type.String({ minLength: 1, maxLength: 256 });
const ParameterLocation = Type.Enum([
  'PARAMETER_LOCATION_UNSPECIFIED',
  'PARAMETER_LOCATION_QUERY',
  'PARAMETER_LOCATION_PATH',
  'PARAMETER_LOCATION_HEADER',
  'PARAMETER_LOCATION_BODY',
]);

/** The model chooses its value, by the JSON Schema. */
export const DynamicParameter = Closed(
  {
    name: ParameterName,
    location: Type.Optional(ParameterLocation),
    schema: Type.Optional(JsonObject),
    required: Type.Optional(Type.Boolean()),
  },
  'DynamicParameter',
);
export type DynamicParameter = Static<typeof DynamicParameter>;

export const StaticParameter = Closed(
  { name: ParameterName, location: Type.Optional(ParameterLocation), value: Type.Optional(Type.Unknown()) },
  'StaticParameter',
);

/** The service fills in its value. */
export const AutomaticParameter = Closed(
  {
    name: ParameterName,
    location: Type.Optional(ParameterLocation),
    knownValue: Type.Optional(
      Type.Enum([
        'KNOWN_PARAM_UNSPECIFIED',
        'KNOWN_PARAM_CALL_ID',
        'KNOWN_PARAM_CONVERSATION_HISTORY',
        'KNOWN_PARAM_OUTPUT_SAMPLE_RATE',
        'KNOWN_PARAM_CALL_STATE',
        'KNOWN_PARAM_CALL_STAGE_ID',
        'KNOWN_PARAM_THREAD_ID',
        'KNOWN_PARAM_THREAD_STATES',
        'KNOWN_PARAM_CALL_METADATA',
      ]),
    ),
  },
  'AutomaticParameter',
);

const SecurityRequirement = Type.Object(
  {
    queryApiKey: Type.Optional(Closed({ name: ParameterName }, 'QueryApiKeyRequirement')),
    headerApiKey: Type.Optional(Closed({ name: ParameterName }, 'HeaderApiKeyRequirement')),
    httpAuth: Type.Optional(
      Closed({ scheme: Type.String({ minLength: 1, maxLength: 64 }) }, 'HttpAuthRequirement'),
    ),
  },
  { title: 'SecurityRequirement', additionalProperties: false, minProperties: 1, maxProperties: 1 },
);

export const SecurityRequirements = Closed(
  {
    requirements: Type.Optional(Type.Record(Type.String(), SecurityRequirement, { maxProperties: 16 })),
    svcCallTokenRequirement: Type.Optional(
      Closed(
        { scopes: Type.Optional(Type.Array(Type.String({ maxLength: 128 }), { maxItems: 32 })) },
        'SvcCallTokenRequirement',
      ),
    ),
  },
  'SecurityRequirements',
);

/** Any one of them is enough. */
export const ToolSecurityOptions = Closed(
  { options: Type.Optional(Type.Array(SecurityRequirements, { maxItems: 16 })) },
  'SecurityOptions',
);
export type ToolSecurityOptions = Static<typeof ToolSecurityOptions>;

export const ToolRequirements = Closed(
  {
    httpSecurityOptions: Type.Optional(ToolSecurityOptions),
    requiredParameterOverrides: Type.Optional(Type.Array(ParameterName, { maxItems: 100 })),
  },
  'ToolRequirements',
);

export const AgentReaction = Type.Enum([
  'AGENT_REACTION_UNSPECIFIED',
  'AGENT_REACTION_SPEAKS',
  'AGENT_REACTION_LISTENS',
  'AGENT_REACTION_SPEAKS_ONCE',
]);

const parameters = {
  dynamicParameters: Type.Optional(Type.Array(DynamicParameter, { maxItems: 100 })),
  staticParameters: Type.Optional(Type.Array(StaticParameter, { maxItems: 100 })),
  automaticParameters: Type.Optional(Type.Array(AutomaticParameter, { maxItems: 100 })),
};
const behaviour = {
  timeout: Type.Optional(Duration),
  precomputable: Type.Optional(Type.Boolean()),
  defaultReaction: Type.Optional(AgentReaction),
  staticResponse: Type.Optional(
    Closed({ responseText: Type.Optional(Type.String({ maxLength: 65_536 })) }, 'StaticToolResponse'),
  ),
};
const Description = Type.String({ maxLength: 16_384 });
const httpDetails = {
  baseUrlPattern: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
  httpMethod: Type.Optional(Type.String({ minLength: 1, maxLength: 16 })),
};

/** What a tool is: exactly one of `http`, `client` and `dataConnection` says how it runs. */
export const BaseToolDefinition = Closed(
  {
    modelToolName: Type.Optional(ModelToolName),
    description: Type.Optional(Description),
    ...parameters,
    requirements: Type.Optional(ToolRequirements),
    ...behaviour,
    http: Type.Optional(Closed(httpDetails, 'BaseHttpToolDetails')),
    client: Type.Optional(Closed({}, 'BaseClientToolDetails')),
    dataConnection: Type.Optional(Closed({}, 'BaseDataConnectionToolDetails')),
  },
  'BaseToolDefinition',
);
export type BaseToolDefinition = Static<typeof BaseToolDefinition>;

/** A tool as a call has it: overrides applied, requirements met. No secret is in it. */
export const CallToolDefinition = Closed(
  {
    description: Type.Optional(Description),
    ...parameters,
    ...behaviour,
    http: Type.Optional(
      Closed(
        {
          ...httpDetails,
          authHeaders: Type.Optional(Type.Array(Type.String())),
          authQueryParams: Type.Optional(Type.Array(Type.String())),
          callTokenScopes: Type.Optional(Type.Array(Type.String())),
        },
        'HttpCallToolDetails',
      ),
    ),
    client: Type.Optional(Closed({}, 'ClientCallToolDetails')),
    dataConnection: Type.Optional(Closed({}, 'DataConnectionCallToolDetails')),
  },
  'CallToolDefinition',
);
export type CallToolDefinition = Static<typeof CallToolDefinition>;

/** By the names of the tool's security requirements. */
export const AuthTokens = Secret(
  Type.Record(Type.String(), Type.String({ maxLength: 8192 }), { maxProperties: 16 }),
);

/** What makes a selected tool the same tool as before. */
const TOOL_IDENTITY = [
  'toolId',
  'toolName',
  'nameOverride',
  'temporaryTool.modelToolName',
  'temporaryTool.http.baseUrlPattern',
];

/** A tool for an agent. Exactly one of `toolId`, `toolName` and `temporaryTool` is set. */
export const SelectedTool = Closed(
  {
    toolId: Type.Optional(Uuid),
    toolName: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    temporaryTool: Type.Optional(BaseToolDefinition),
    nameOverride: Type.Optional(ModelToolName),
    descriptionOverride: Type.Optional(Description),
    authTokens: Secret(Type.Optional(AuthTokens), TOOL_IDENTITY),
    parameterOverrides: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { maxProperties: 100 })),
    transitionId: Type.Optional(Type.String({ maxLength: 128 })),
  },
  'SelectedTool',
);
export type SelectedTool = Static<typeof SelectedTool>;

/** Changes of a template's tools for one call. */
export const ToolOverrides = Closed(
  {
    /** Model names of tools to leave out. */
    remove: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 100 })),
    removeAll: Type.Optional(Type.Boolean()),
    add: Type.Optional(Type.Array(SelectedTool, { maxItems: 100 })),
  },
  'ToolOverrides',
);
export type ToolOverrides = Static<typeof ToolOverrides>;
