import { useHotkeys } from '@mantine/hooks';
import { Page } from '../../components/page.tsx';
import { CallDesk, type CallView } from './call-desk.tsx';
import classes from './live-call.module.css';

/** The page during a call. M mutes the microphone unless an input is focused. */
export function LiveCall(view: CallView) {
  const { call, partnerName } = view;
  useHotkeys([['M', () => call.toggleMicrophone()]]);
  return (
    <Page title={`Talking to ${partnerName}`} heading={partnerName}>
      <div className={classes.page}>
        <CallDesk {...view} />
      </div>
    </Page>
  );
}
