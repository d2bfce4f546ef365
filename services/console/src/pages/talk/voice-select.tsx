import { dataOf, api, type Schemas } from '../../api/client.ts';
import { NameSelect, SHOWN_NAMES } from '../../components/name-select.tsx';

/** Selects a catalogue voice by id, or the default (''). */
export function VoiceSelect(props: {
  value: string;
  onChange: (voiceId: string) => void;
  error?: string;
  disabled: boolean;
}) {
  return (
    <NameSelect<Schemas['Voice']>
      {...props}
      kind="voice"
      label="Voice"
      placeholder="The default voice"
      idOf={({ voiceId }) => voiceId}
      get={(voiceId) =>
        dataOf(api.GET('/api/voices/{voice_id}', { params: { path: { voice_id: voiceId } } }))
      }
      find={async (search) => {
        const query = { pageSize: SHOWN_NAMES, ...(search !== '' && { search }) };
        return (await dataOf(api.GET('/api/voices', { params: { query } }))).results;
      }}
    />
  );
}
