import { described, marked } from '@calls/foundation/schema/annotations';
import { TEMPLATED_MARK } from '@calls/foundation/schema/keywords';
import { Closed, JsonObject } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';

export const ParameterName = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'Name of the parameter.',
});
const ParameterLocation = Type.Enum(
  [
    'PARAMETER_LOCATION_UNSPECIFIED',
    'PARAMETER_LOCATION_QUERY',
    'PARAMETER_LOCATION_PATH',
    'PARAMETER_LOCATION_HEADER',
    'PARAMETER_LOCATION_BODY',
  ],
  {
    description:
      'Where the parameter is in the HTTP request. Tools without HTTP only take `PARAMETER_LOCATION_BODY`.',
  },
);

export const DynamicParameter = Closed(
  {
    name: ParameterName,
    location: Type.Optional(ParameterLocation),
    schema: Type.Optional(
      described(JsonObject, 'JSON Schema of the value, with a description for the model.'),
    ),
    required: Type.Optional(
      Type.Boolean({ description: 'Whether the model must give a value. Defaults to false.' }),
    ),
  },
  'DynamicParameter',
  'A parameter whose value the model chooses.',
);
export type DynamicParameter = Static<typeof DynamicParameter>;

export const StaticParameter = Closed(
  {
    name: ParameterName,
    location: Type.Optional(ParameterLocation),
    value: Type.Optional(
      marked(
        Type.Unknown({ description: 'Value of the parameter. The model does not see it.' }),
        TEMPLATED_MARK,
      ),
    ),
  },
  'StaticParameter',
  'A parameter with a fixed value.',
);

export const AutomaticParameter = Closed(
  {
    name: ParameterName,
    location: Type.Optional(ParameterLocation),
    knownValue: Type.Optional(
      Type.Enum(
        [
          'KNOWN_PARAM_UNSPECIFIED',
          'KNOWN_PARAM_CALL_ID',
          'KNOWN_PARAM_CONVERSATION_HISTORY',
          'KNOWN_PARAM_OUTPUT_SAMPLE_RATE',
          'KNOWN_PARAM_CALL_STATE',
          'KNOWN_PARAM_CALL_STAGE_ID',
          'KNOWN_PARAM_THREAD_ID',
          'KNOWN_PARAM_THREAD_STATES',
          'KNOWN_PARAM_CALL_METADATA',
        ],
        { description: 'Value of the call that is sent.' },
      ),
    ),
  },
  'AutomaticParameter',
  'A parameter that the service fills in with a value of the call.',
);

/** The parameters of a tool definition. */
export const toolParameters = {
  dynamicParameters: Type.Optional(
    Type.Array(DynamicParameter, { maxItems: 100, description: 'Parameters that the model chooses.' }),
  ),
  staticParameters: Type.Optional(
    Type.Array(StaticParameter, { maxItems: 100, description: 'Parameters with fixed values.' }),
  ),
  automaticParameters: Type.Optional(
    Type.Array(AutomaticParameter, {
      maxItems: 100,
      description: 'Parameters that the service fills in.',
    }),
  ),
};
