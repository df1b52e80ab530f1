#!/usr/bin/env node
import { processHost } from "./host.ts";
import { main } from "./main.ts";

process.exitCode = await main(process.argv.slice(2), processHost());
