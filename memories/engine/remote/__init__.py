"""Engines that ask models of other servers: extraction, embedding, reranking, answers."""
