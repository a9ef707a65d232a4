"""LangGraph machines over LexForge's stages. Tracing is forced off before langgraph is imported."""

from lexforge import local_only

local_only.force_tracing_off()
