import { describeBegun } from '../begun.fixture.ts';

describeBegun({ url: '/v1/bash/exec', body: { session_id: 's' }, lost: 'killed' });
