import {
  getCallStage,
  getCallStageMessageAudio,
  listCallStageMessages,
  listCallStages,
} from '@calls/api-contract/operations/call-stages.operations';
import type { ObjectStorage } from '@calls/object-storage/object-storage';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import { findInCallMessage, stageMessagesOf } from '@calls/store/tables/call-messages';
import { findCallStage, stagesOf, type CallStageRow } from '@calls/store/tables/call-stages';
import { findCall, type CallRow } from '@calls/store/tables/calls';
import { messageView, stageView } from '../calls/call-record-views.ts';
import { openMessageAudio } from '../calls/message-audio.ts';
import type { ApiRouter } from './api-router.ts';
import { orNotFound } from '../problems/problem.ts';
import { recordingKeyOf } from './recordings.routes.ts';
import { sendObject } from './send-object.ts';

export interface CallStageRoutesDeps {
  db: Database;
  secretBox: SecretBox;
  storage: ObjectStorage;
}

export function callStageRoutes(api: ApiRouter, { db, secretBox, storage }: CallStageRoutesDeps): void {
  const ownCall = async (accountId: string, callId: string): Promise<CallRow> =>
    orNotFound('call', await findCall(db, accountId, callId));
  const ownStage = async (
    accountId: string,
    params: { call_id: string; call_stage_id: string },
  ): Promise<{ call: CallRow; stage: CallStageRow }> => {
    const call = await ownCall(accountId, params.call_id);
    const stage = orNotFound('call stage', await findCallStage(db, call.call_id, params.call_stage_id));
    return { call, stage };
  };

  api
    .list(listCallStages, async ({ accountId, params }) => {
      const call = await ownCall(accountId, params.call_id);
      return {
        source: stagesOf(db, call.call_id),
        item: (stage: CallStageRow) => stageView(secretBox, stage, call),
      };
    })
    .on(getCallStage, async ({ accountId, params }) => {
      const { call, stage } = await ownStage(accountId, params);
      return stageView(secretBox, stage, call);
    })
    .list(listCallStageMessages, async ({ accountId, params }) => {
      const { call, stage } = await ownStage(accountId, params);
      return { source: stageMessagesOf(db, call.call_id, stage.stage_id), item: messageView };
    })
    .raw(getCallStageMessageAudio, async ({ accountId, params, http }) => {
      const { call, stage } = await ownStage(accountId, params);
      const index = Number(params.call_stage_message_index);
      const place = { callId: call.call_id, stageId: stage.stage_id, index };
      const { message } = orNotFound('message', await findInCallMessage(db, place));
      const audio = await openMessageAudio(storage, recordingKeyOf(call), message);
      const name = `${call.call_id}-${stage.stage_index}-${index}`;
      await sendObject(http.request, http.response, orNotFound('message audio', audio), {
        contentType: 'audio/wav',
        fileName: `${name}.wav`,
        etag: `"${name}"`,
      });
    });
}
