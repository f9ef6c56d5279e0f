import { join } from 'node:path';
import { defineCapability } from '../../capability.ts';
import { Ownership } from '../../core/files/ownership.ts';
import { ShellPaths } from '../../core/files/shell-paths.ts';
import { BEFORE_CHANGE, beforeChange } from '../../core/ports/before-change-port.ts';
import { FILES } from '../../core/ports/files-port.ts';
import { provide } from '../../core/ports/port.ts';
import { FileService } from './file-service.ts';
import { PartJournal } from './parts/part-journal.ts';
import { workspaceFiles } from './resources/workspace-files.ts';
import { FILES_SCOPES } from './route-scopes.ts';
import { fileTools } from './tools.ts';
import { filesV1 } from './v1/routes.ts';
import { filesV2 } from './v2/routes.ts';

export const files = defineCapability({
  name: 'files',
  scopes: FILES_SCOPES,
  provides: [provide(FILES, (service: FileService) => service)],
  uses: [BEFORE_CHANGE],
  create: ({ clock, config, recorder, runtime, platform }, _options, ports) => {
    const journal = new PartJournal(join(runtime.directory('parts'), 'journal'), clock);
    return new FileService(
      new Ownership(config.defaultUser, platform),
      journal,
      runtime.directory('probes'),
      new ShellPaths(config.defaultUser, platform),
      beforeChange(ports),
      recorder,
    );
  },
  activity: {
    kind: 'file',
    looks: ['/v2/fs/stat', '/v2/fs/list', '/v1/file/stat', '/v1/file/list'],
    transfers: ['/v2/fs/upload', '/v2/fs/download', '/v2/fs/tree', '/v1/file/upload', '/v1/file/download'],
  },
  v2: filesV2,
  v1: filesV1,
  tools: fileTools,
  resources: workspaceFiles,
  probe: (service) => service.probe(),
  report: (_service, finding) => ({ files: finding?.ok ?? false }),
});
