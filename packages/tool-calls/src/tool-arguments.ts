import {
  compileUntrustedSchema,
  UntrustedSchemaError,
  type CallToolDefinition,
  type Fault,
} from '@calls/api-contract';

/** Values of parameters by their names. */
export type ToolArguments = Readonly<Record<string, unknown>>;

type DynamicParameters = CallToolDefinition['dynamicParameters'];

/** What is wrong with the arguments that were chosen for the dynamic parameters, each by its schema; paths begin with the name. */
export function argumentFaults(parameters: DynamicParameters, values: ToolArguments): Fault[] {
  const known = parameters ?? [];
  const faults: Fault[] = [];
  for (const name of Object.keys(values)) {
    if (!known.some((parameter) => parameter.name === name)) {
      faults.push({ path: name, message: 'is not a parameter of the tool' });
    }
  }
  for (const { name, schema, required } of known) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) {
      if (required === true) faults.push({ path: name, message: 'is required' });
    } else if (schema) {
      faults.push(...schemaFaults(name, schema, value));
    }
  }
  return faults;
}

function schemaFaults(name: string, schema: unknown, value: unknown): Fault[] {
  try {
    const faults = compileUntrustedSchema(name, schema).faults(value);
    return faults.map(({ path, message }) => ({ path: path === '' ? name : `${name}.${path}`, message }));
  } catch (thrown) {
    if (!(thrown instanceof UntrustedSchemaError)) throw thrown;
    return [{ path: name, message: `has a schema that ${thrown.message}` }];
  }
}
