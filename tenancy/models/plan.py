"""The plans: what an account may store and call."""

from __future__ import annotations

from django.db import models


class Plan(models.Model):
    """A named set of limits of an account."""

    code = models.SlugField(primary_key=True)
    name = models.CharField(max_length=40)
    rank = models.PositiveSmallIntegerField(help_text="The order on the pricing page.")
    knowledge_bases = models.PositiveIntegerField()
    knowledge_base_gigabytes = models.PositiveIntegerField()
    storage_megabytes = models.PositiveBigIntegerField(null=True, blank=True)  # empty for no limit
    keys_per_project = models.PositiveIntegerField(default=20)
    requests_per_second = models.PositiveIntegerField(help_text="As many as are advised.")
    most_requests_per_second = models.PositiveIntegerField(default=200, db_default=200)
    tokens_per_minute = models.PositiveIntegerField(default=400_000)
    is_by_agreement = models.BooleanField(default=False, db_default=False)
    is_listed = models.BooleanField(
        default=False, db_default=False, help_text="Whether it is on the pricing page."
    )
    # In US cents; empty where it is agreed upon.
    monthly_price = models.PositiveIntegerField(null=True, blank=True)
    yearly_price = models.PositiveIntegerField(null=True, blank=True)
    # What all projects of the account together may use in a month (UTC); empty for as much as anybody likes.
    monthly_adds = models.PositiveBigIntegerField(null=True, blank=True)
    monthly_searches = models.PositiveBigIntegerField(null=True, blank=True)
    monthly_chats = models.PositiveBigIntegerField(null=True, blank=True)
    monthly_feedbacks = models.PositiveBigIntegerField(null=True, blank=True)
    monthly_extractions = models.PositiveBigIntegerField(null=True, blank=True)
    monthly_rerankings = models.PositiveBigIntegerField(null=True, blank=True)
    monthly_file_uploads = models.PositiveBigIntegerField(null=True, blank=True)
    monthly_skill_uploads = models.PositiveBigIntegerField(null=True, blank=True)
    monthly_chat_input_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    monthly_chat_output_tokens = models.PositiveBigIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["rank"]

    def __str__(self) -> str:
        return self.name
