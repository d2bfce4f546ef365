import { ChoiceField } from '../../components/editor/fields.tsx';
import { useDefinition } from './use-definition.ts';

const LOCATIONS = [
  { value: 'PARAMETER_LOCATION_BODY', label: 'Body' },
  { value: 'PARAMETER_LOCATION_QUERY', label: 'Query' },
  { value: 'PARAMETER_LOCATION_PATH', label: 'Path' },
  { value: 'PARAMETER_LOCATION_HEADER', label: 'Header' },
];

/** Selects the location of a parameter in the HTTP request. Renders nothing for other tools. */
export function LocationSelect({ path }: { path: string }) {
  const { http } = useDefinition();
  return http ? (
    <ChoiceField path={path} label="Sent in" choices={LOCATIONS} placeholder="Chosen by the service" />
  ) : null;
}
