import { described } from '@calls/foundation/schema/annotations';
import { Closed } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { ParameterName } from './tool-parameters.ts';

const SecurityRequirement = Type.Object(
  {
    queryApiKey: described(
      Type.Optional(Closed({ name: ParameterName }, 'QueryApiKeyRequirement', 'A key in the query string.')),
      'The token is sent as a query parameter.',
    ),
    headerApiKey: described(
      Type.Optional(Closed({ name: ParameterName }, 'HeaderApiKeyRequirement', 'A key in a header.')),
      'The token is sent as a header.',
    ),
    httpAuth: described(
      Type.Optional(
        Closed(
          {
            scheme: Type.String({
              minLength: 1,
              maxLength: 64,
              description: 'Scheme of the `Authorization` header, for example `Bearer`.',
            }),
          },
          'HttpAuthRequirement',
          'A token in the `Authorization` header.',
        ),
      ),
      'The token is sent in the `Authorization` header.',
    ),
    oauthClient: described(
      Type.Optional(
        Closed(
          {
            clientId: Type.String({
              minLength: 1,
              maxLength: 512,
              description: 'Identifier of the client at the authorization server.',
            }),
            scope: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: 1024,
                description:
                  'Requested scopes, separated by spaces. Defaults to those that the MCP server names.',
              }),
            ),
            tokenUrl: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: 2048,
                description:
                  'URL of the token endpoint. If absent, it is discovered from the metadata of the MCP server.',
              }),
            ),
          },
          'OAuthClientRequirement',
          'An OAuth client that gets access tokens with the client credentials grant.',
        ),
      ),
      'For `mcp` tools: the token is the client secret. Requests carry access tokens of the authorization server.',
    ),
  },
  {
    title: 'SecurityRequirement',
    description: 'How a token is sent. Exactly one field is set.',
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
  },
);

export const SecurityRequirements = Closed(
  {
    requirements: Type.Optional(
      Type.Record(Type.String(), SecurityRequirement, {
        maxProperties: 16,
        description: 'Tokens that the tool needs, by the names that `authTokens` uses.',
      }),
    ),
    svcCallTokenRequirement: described(
      Type.Optional(
        Closed(
          {
            scopes: Type.Optional(
              Type.Array(Type.String({ maxLength: 128 }), {
                maxItems: 32,
                description: 'Scopes of the token, for example `call.read`.',
              }),
            ),
          },
          'SvcCallTokenRequirement',
          'A token that the service issues for the call.',
        ),
      ),
      'Sends a token of the call in `X-Svc-Call-Token`.',
    ),
  },
  'SecurityRequirements',
  'Tokens that a tool needs together.',
);

export const ToolSecurityOptions = Closed(
  {
    options: Type.Optional(
      Type.Array(SecurityRequirements, {
        maxItems: 16,
        description: 'Alternatives. The first whose tokens are all given is used.',
      }),
    ),
  },
  'SecurityOptions',
  'The ways in which requests of a tool can be authenticated.',
);
export type ToolSecurityOptions = Static<typeof ToolSecurityOptions>;

export const ToolRequirements = Closed(
  {
    httpSecurityOptions: described(
      Type.Optional(ToolSecurityOptions),
      'How requests are authenticated; absent means not at all.',
    ),
    requiredParameterOverrides: Type.Optional(
      Type.Array(ParameterName, {
        maxItems: 100,
        description: 'Parameters for which a selected tool must give `parameterOverrides`.',
      }),
    ),
  },
  'ToolRequirements',
  'What a call must give before it can use a tool.',
);
