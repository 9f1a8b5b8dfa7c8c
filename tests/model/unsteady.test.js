import { ANSWERS } from "./host.js";
import { describeInterleavings } from "./interleavings.js";
import { plansWith } from "./moves.js";

describeInterleavings("a host that answers late, wrongly or never", plansWith(ANSWERS));
